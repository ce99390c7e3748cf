"""The verbs of memory, each as the call that it is."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, Unpack
from uuid import uuid4

from whoknows.client.answers import Batch, Captured, Deleted, Json, Memory, MemoryPage, Recollection, Why
from whoknows.client.call import Call, named, path


class CaptureFields(TypedDict, total=False):
    """Everything beside the text. ``expires_at`` is RFC 3339 in UTC, ``expires_in`` seconds.

    ``directory``, in place of a project: where one works on this machine; kept for the person behind the key, or with
    ``memory_type`` team for the team of that project, where nothing else is said.
    """

    memory_type: str
    agent_id: str | None
    team_id: str | None
    visible_to: Sequence[str]
    category: str | None
    title: str | None
    tags: Sequence[str]
    project_id: str | None
    directory: str | None
    session_id: str | None
    task_id: str | None
    isolation: str | None
    source: str | None
    quote: str | None
    expires_at: str | None
    expires_in: int | None
    subject: str | None
    account: str | None
    supersedes: str | None
    reason: str | None
    part_of: str | None


class Filters(TypedDict, total=False):
    """What narrows a read; never what widens it."""

    agent_id: str | None
    project_id: str | None
    session_id: str | None
    task_id: str | None
    team_id: str | None
    category: str | None
    tags: Sequence[str]


class ListFilters(Filters, total=False):
    layer: str | None
    state: str | None


class EditFields(TypedDict, total=False):
    """Only what is named changes; None clears title, subject and expiry."""

    content: str
    title: str | None
    category: str
    tags: Sequence[str]
    subject: str | None
    expires_at: str | None
    expires_in: int
    reason: str | None


def capture(content: str, **fields: Unpack[CaptureFields]) -> Call[Captured]:
    """Remember ``content``. Safe to repeat: the same call is stored once."""
    body = {"content": content, **named(fields)}
    return Call("POST", "/capture", body=body, headers={"Idempotency-Key": str(uuid4())})


def capture_batch(items: Sequence[Mapping[str, Any]]) -> Call[Batch]:
    """Remember up to 1,000 items (fields as for ``capture``, with ``content``, without ``directory``).

    A failing one does not stop the others.
    """
    body = {"items": [named(item) for item in items]}
    return Call("POST", "/capture/batch", body=body, headers={"Idempotency-Key": str(uuid4())})


def recall(
    query: str,
    *,
    limit: int | None = None,
    min_score: float | None = None,
    include: Sequence[str] = (),
    directory: str | None = None,
    or_global: bool = False,
    **filters: Unpack[Filters],
) -> Call[Recollection]:
    """What the reader may know about ``query``, best first. ``min_score`` in [0, 1]; 0 turns the floor off.

    ``include``: ``history`` and ``trace``. ``directory``, in place of a project: where one works on this machine.
    ``or_global``, with a project: memories of no project too.
    """
    # By POST: addresses end up in the logs of what stands between, and a question is nobody else's business.
    body = {"query": query, "limit": limit, "min_score": min_score, "include": list(include), **filters}
    body |= {"directory": directory, "or_global": or_global or None}
    return Call("POST", "/recall", body=named(body), reads=True)


def list_memories(*, limit: int | None = None, cursor: str | None = None, **filters: Unpack[ListFilters]) -> Call[MemoryPage]:
    """Newest first. Only current memories, unless ``state`` names another state."""
    return Call("GET", "/memories", {"limit": limit, "cursor": cursor, **filters})


def get(memory_id: str) -> Call[Memory]:
    return Call("GET", path("memories", memory_id))


def edit(memory_id: str, version: int, **fields: Unpack[EditFields]) -> Call[Memory]:
    """Change the named fields of the version that was read; 409 ``version_conflict`` where it is not the present one."""
    return Call("PATCH", path("memories", memory_id), body={**fields, "version": version})


def archive(memory_id: str) -> Call[Memory]:
    return Call("POST", path("memories", memory_id, "archive"))


def restore(memory_id: str) -> Call[Memory]:
    return Call("POST", path("memories", memory_id, "restore"))


def forget(memory_id: str, version: int | None = None) -> Call[Deleted]:
    """Delete a memory and everything made of its text; with ``version`` only if that is the present one."""
    headers = {} if version is None else {"If-Match": str(version)}
    return Call("DELETE", path("memories", memory_id), headers=headers)


def forget_all(layer: str, **filters: Unpack[Filters]) -> Call[Deleted]:
    """Delete all of a layer (``private`` or ``team``) that the caller may delete there."""
    return Call("DELETE", "/memories", {"layer": layer, **filters})


def share(memory_id: str, agent_id: str) -> Call[Memory]:
    """Let another agent of the tenant read a private memory of one's own."""
    return Call("PUT", path("memories", memory_id, "shares", agent_id))


def unshare(memory_id: str, agent_id: str) -> Call[Deleted]:
    """Take a share back."""
    return Call("DELETE", path("memories", memory_id, "shares", agent_id))


def history(memory_id: str) -> Call[Json]:
    """The texts a memory had (``versions``), and what it replaced and was replaced by (``chain``), newest first."""
    return Call("GET", path("memories", memory_id, "history"))


def provenance(memory_id: str) -> Call[Json]:
    """Where it comes from: each quote with its lines in the source as they are found today, through all that it rests on."""
    return Call("GET", path("memories", memory_id, "provenance"))


def reverify(memory_id: str) -> Call[Memory]:
    """Look for its quotes again, in the newest state of each source."""
    return Call("POST", path("memories", memory_id, "reverify"), idempotent=True)


def why(memory_id: str, reader: str | None = None) -> Call[Why]:
    """The rule that lets ``reader`` (``agent:x``, ``member:m``; default oneself) see the memory, or keeps it hidden."""
    return Call("GET", path("memories", memory_id, "why"), {"reader": reader})


def knows(*, limit: int | None = None, cursor: str | None = None, **filters: Unpack[ListFilters]) -> Call[Json]:
    """The matrix of readers × memories that the caller may see, each cell with its reason."""
    return Call("GET", "/knows", {"limit": limit, "cursor": cursor, **filters})


def trace(trace_id: str) -> Call[Json]:
    """What one of one's own recalls did: spaces, arms, scores, what was dropped and why."""
    return Call("GET", path("traces", trace_id))


def pending() -> Call[Json]:
    """How many of one's own writes still wait for something: ``{"embedding": n}``."""
    return Call("GET", "/jobs/pending")


def events(last_event_id: str | None = None) -> Call[Json]:
    headers = {"Accept": "text/event-stream"}
    return Call("GET", "/events", headers=headers if last_event_id is None else {**headers, "Last-Event-ID": last_event_id})


def export() -> Call[Json]:
    return Call("POST", "/export", reads=True)
