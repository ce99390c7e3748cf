"""Memories on the wire, as they are told."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.audience import Layer
from whoknows.domain.evidence import SourceKind
from whoknows.domain.memory import Category, Isolation, State
from whoknows.rest.schemas.forms import Told

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
_AT = "2026-01-31T12:00:00Z"


class Evidence(Told):
    """A quote and where it stands."""

    source_kind: SourceKind
    locator: str = Field(examples=["docs/decisions/0007.md"])
    revision: str | None
    """The state of the source in which the quote stands: a commit, the state of a folder, the version of a memory."""
    quote: str | None
    start: int | None
    """Where the quote begins in the source, in characters; `end` is behind its last one."""
    end: int | None
    quote_hash: str | None
    """SHA-256 of the quote after NFKC and white-space folding, in hexadecimal digits."""
    verified: bool
    """Whether the quote was found in the source, character for character, and every reader may read the source."""
    verified_at: datetime | None
    moved: bool
    """Whether the newest state of the source does not say it any more."""
    moved_at: datetime | None
    moved_to: str | None
    """That newest state."""
    gone_at: datetime | None
    """Since when there is no such source any more. What was quoted of a deleted memory went with it."""


class Overturned(Told):
    """What a memory replaced, and why; only what the reader may see."""

    id: UUID
    title: str | None
    content: str
    reason: str | None
    at: datetime


class Author(Told):
    """One of those who wrote these words."""

    author: str = Field(examples=["agent:maomao"])
    at: datetime


class Origin(Told):
    """Where a copy comes from. The last three are for those who may read the original."""

    agent_id: str
    published_at: datetime
    memory_id: UUID | None = None
    version: int | None = None
    content_hash: str | None = None


class DistilledBy(Told):
    """The distillation that wrote it: `DELETE /master-agent/distill/{batch_id}` undoes it."""

    batch_id: UUID


EXAMPLE: dict[str, Any] = {
    "id": _ID,
    "content": "预发环境数据库端口是 5433",
    "memory_type": "team",
    "category": "fact",
    "agent_id": "maomao",
    "author": "agent:maomao",
    "account": None,
    "team_id": "backend",
    "visible_to": ["team:backend"],
    "injected_by": None,
    "title": None,
    "subject": "staging.postgres.port",
    "tags": ["staging"],
    "project_id": None,
    "session_id": None,
    "task_id": None,
    "isolation": "agent",
    "scope": "global",
    "state": "active",
    "version": 1,
    "content_hash": "9a0c1f…",
    "part_of": None,
    "indexed": False,
    "supersedes": None,
    "superseded_by": None,
    "reason": None,
    "origin": None,
    "evidence": [],
    "overturned": [],
    "authors": [{"author": "agent:maomao", "at": _AT}],
    "expires_at": None,
    "created_at": _AT,
    "updated_at": _AT,
    "embedding_pending": False,
    "distilled": None,
    "stale": None,
}


class Memory(Told):
    """A memory, as the caller may see it."""

    model_config = ConfigDict(json_schema_extra={"examples": [EXAMPLE]})

    id: UUID
    content: str
    memory_type: Layer
    category: Category
    agent_id: str | None
    """The author's name, where it is an agent."""
    author: str
    """`agent:x` or `member:m`."""
    account: str | None
    """The member whose account memory it is."""
    team_id: str | None
    """The team it belongs to; `*` is everyone's."""
    visible_to: list[str]
    """Who reads it: `agent:x`, `member:m`, `team:t`, or `*`."""
    injected_by: str | None
    title: str | None
    subject: str | None
    tags: list[str]
    project_id: str | None
    session_id: str | None
    task_id: str | None
    isolation: Isolation
    scope: Literal["global", "project"]
    state: State
    version: int
    content_hash: str
    """SHA-256 of the content, in hexadecimal digits."""
    part_of: UUID | None
    """The document that it is a section of."""
    indexed: bool
    """It stands in a source: it is changed there, and nowhere else."""
    supersedes: UUID | None
    superseded_by: UUID | None
    reason: str | None
    origin: Origin | None
    evidence: list[Evidence]
    overturned: list[Overturned]
    authors: list[Author]
    expires_at: datetime | None
    created_at: datetime
    updated_at: datetime
    embedding_pending: bool
    """A long text is found by its words at once, by its meaning when this is false."""
    distilled: DistilledBy | None
    """Where a distillation wrote it, of what was said."""
    stale: bool | None
    """Of an observation: whether a memory that it rests on has changed since. Null where it rests on none."""


class MemoryPage(Told):
    """One page, newest first. There is no total: it would count what is hidden."""

    items: list[Memory]
    next_cursor: str | None
    """Give it as `cursor` for the next page; null at the end."""


class Version(Told):
    """A text that a memory had."""

    memory_id: UUID
    version: int
    content: str
    title: str | None
    category: Category
    tags: list[str]
    state: State
    changed_by: str = Field(examples=["agent:maomao"])
    changed_at: datetime
    change: str = Field(examples=["captured"])
    reason: str | None


class History(Told):
    """The texts that a memory had, and the chain of what it replaced and what replaced it, newest first."""

    versions: list[Version]
    chain: list[Memory]
