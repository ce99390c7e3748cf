"""The verbs of the gate, each as the call that it is: what waits, and what did not go in."""

from typing import TypedDict, Unpack

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, path


class OwnWords(TypedDict, total=False):
    """``version`` that was read; ``content`` and ``title`` where a reviewer says it in own words."""

    version: int
    content: str
    title: str


def waiting(*, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    """What the caller may let in or reject, oldest first."""
    return Call("GET", "/review", {"limit": limit, "cursor": cursor})


def admit(memory_id: str, **words: Unpack[OwnWords]) -> Call[Json]:
    """Let it in, as it is or in other words."""
    return Call("POST", path("review", memory_id, "admit"), body=dict(words))


def reject(memory_id: str, reason: str) -> Call[Json]:
    """It is deleted; its author finds the reason in its ledger."""
    return Call("POST", path("review", memory_id, "refuse"), body={"reason": reason})


def ledger(*, agent_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    """Writes of one's own that were refused or failed, newest first. Nothing tries them again."""
    return Call("GET", "/ledger", {"agent_id": agent_id, "limit": limit, "cursor": cursor})
