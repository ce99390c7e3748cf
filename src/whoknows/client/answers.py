"""The shapes of answers, as they are on the wire. A newer server may send more fields than are named here."""

from typing import Any, Literal, TypedDict


class Evidence(TypedDict):
    source_kind: str
    locator: str
    revision: str | None
    quote: str | None
    verified: bool


class Overturned(TypedDict):
    """What a memory replaced, and why."""

    id: str
    title: str | None
    content: str
    reason: str | None
    at: str


class Memory(TypedDict):
    """Times are RFC 3339 in UTC."""

    id: str
    content: str
    memory_type: Literal["private", "team", "injected"]
    category: str
    title: str | None
    subject: str | None
    agent_id: str | None
    author: str
    team_id: str | None
    injected_by: str | None
    visible_to: list[str]
    evidence: list[Evidence]
    origin: dict[str, Any] | None
    state: str
    part_of: str | None
    overturned: list[Overturned]
    project_id: str | None
    tags: list[str]
    version: int
    created_at: str
    updated_at: str
    expires_at: str | None


class RecalledMemory(Memory):
    """``score`` is in [0, 1] and comparable between questions."""

    score: float
    scores: dict[str, float | None]


class Space(TypedDict):
    space: str
    why: str


class Recollection(TypedDict):
    outcome: Literal["ok", "no_match"]
    trace_id: str
    took_ms: float
    searched: list[Space]
    memories: list[RecalledMemory]


class Captured(TypedDict):
    outcome: Literal["stored", "merged", "superseding", "held"]
    memory: Memory
    findings: list[dict[str, Any]]


class Batch(TypedDict):
    """``results`` in the order of the items: what became of each, or the problem with it."""

    results: list[dict[str, Any]]


class MemoryPage(TypedDict):
    items: list[Memory]
    next_cursor: str | None


class Page(TypedDict):
    items: list[dict[str, Any]]
    next_cursor: str | None


class Publication(TypedDict):
    """``memory`` is the copy, where the caller can read it. ``origin_changed``: the original says something else by now."""

    publication_id: str
    original_id: str
    team_id: str
    state: Literal["pending", "ready", "held", "withdrawn", "removed", "deleted"]
    memory: Memory | None
    version: int | None
    content_hash: str | None
    origin_changed: bool
    created_at: str
    published_at: str | None
    withdrawn_at: str | None


class Deleted(TypedDict):
    deleted: int


class Why(TypedDict):
    reader: str
    memory: str
    verdict: Literal["visible", "hidden"]
    rule: str
    reason: str
    facts: list[str]


class Key(TypedDict):
    """``key`` is shown this once."""

    id: str
    key: str


class Whoami(TypedDict):
    tenant: str
    acts_as: list[str]
    role: str | None
    permissions: list[str]
    task_id: str | None
    expires_at: str | None


Json = dict[str, Any]
