"""The verbs of distillation, each as the call that it is."""

from collections.abc import Sequence
from typing import TypedDict
from uuid import uuid4

from whoknows.client.answers import Json
from whoknows.client.call import Call, named, path


class ChatMessage(TypedDict):
    """``id`` is whatever its conversation calls it; ``role`` is user, assistant, system or tool."""

    id: str
    role: str
    content: str


class Distilled(TypedDict):
    """``mode`` is ``model`` or ``rules``; ``batchId`` is None for a dry run."""

    batchId: str | None
    mode: str
    kept: list[Json]
    skipped: list[Json]


class Undone(TypedDict):
    deleted: int
    restored: int
    released: int


class DistillationPage(TypedDict):
    items: list[Json]
    nextCursor: str | None


def distill(
    project_id: str, messages: Sequence[ChatMessage], *, dry_run: bool = False, account: str | None = None
) -> Call[Distilled]:
    """What of a conversation is worth remembering becomes memory of the account, in one batch; at most 1,000 messages.

    Safe to repeat: the same messages again add nothing.
    """
    body = {"projectId": project_id, "messages": list(messages), **named({"dryRun": dry_run or None, "account": account})}
    return Call("POST", "/master-agent/distill", body=body, headers={"Idempotency-Key": str(uuid4())})


def distillations(*, account: str | None = None, limit: int | None = None, cursor: str | None = None) -> Call[DistillationPage]:
    """Those that kept something, or were undone, newest first."""
    return Call("GET", "/master-agent/distill", {"account": account, "limit": limit, "cursor": cursor})


def distillation(batch_id: str) -> Call[Json]:
    """A batch with what it kept, as far as that is there today, and why the rest was skipped."""
    return Call("GET", path("master-agent", "distill", batch_id))


def undo_distillation(batch_id: str) -> Call[Undone]:
    """What it wrote goes, and what that had overturned is current again. Undoing again changes nothing."""
    return Call("DELETE", path("master-agent", "distill", batch_id))


def distill_settings(project_id: str | None = None, *, account: str | None = None) -> Call[Json]:
    """Whether turns of chat become memory by themselves."""
    return Call("GET", "/master-agent/distill/settings", {"projectId": project_id, "account": account})


def set_distill_settings(automatic: bool | None, *, project_id: str | None = None, account: str | None = None) -> Call[Json]:
    """For the account, or for one project; None takes the word back."""
    body = {"automatic": automatic, **named({"projectId": project_id, "account": account})}
    return Call("POST", "/master-agent/distill/settings", body=body, idempotent=True)
