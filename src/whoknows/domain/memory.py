"""Memories: what was said, by whom, for whom, and what became of it."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from whoknows.domain.audience import Audience
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import Principal


class State(StrEnum):
    ACTIVE = "active"
    HELD = "held"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    WITHDRAWN = "withdrawn"


class Category(StrEnum):
    USER_PREFERENCE = "user_preference"
    PROJECT_PROGRESS = "project_progress"
    DECISION = "decision"
    RISK = "risk"
    BLOCKING_ISSUE = "blocking_issue"
    RESEARCH_NOTE = "research_note"
    WORKFLOW_RULE = "workflow_rule"
    FACT = "fact"
    EXPERIENCE = "experience"
    CORRECTION = "correction"
    OBSERVATION = "observation"


class Isolation(StrEnum):
    """How far a memory may be seen."""

    AGENT = "agent"
    SESSION = "session"
    TASK = "task"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a copy was taken from. The second half is for those who may read the original (rules P1)."""

    agent_id: str
    published_at: datetime
    memory_id: MemoryId | None = None
    version: int | None = None
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Attribution:
    """One author of a row that several wrote word for word (rules W7)."""

    author: Principal
    at: datetime


@dataclass(frozen=True, slots=True)
class Overturned:
    """A statement that a memory replaced, and why."""

    id: MemoryId
    title: str | None
    content: str
    reason: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Memory:
    id: MemoryId
    audience: Audience
    content: str
    title: str | None
    category: Category
    subject: str | None
    tags: tuple[str, ...]
    author: Principal
    state: State
    isolation: Isolation
    project_id: str | None
    session_id: str | None
    task_id: str | None
    version: int
    content_hash: str
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    reason: str | None = None
    supersedes: MemoryId | None = None
    superseded_by: MemoryId | None = None
    injected_by: Principal | None = None
    origin: Origin | None = None
    session_ordinal: int = 0
    embedding_pending: bool = False
    authors: tuple[Attribution, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    overturned: tuple[Overturned, ...] = ()
    part_of: MemoryId | None = None
    """The head of the document that it is a section of."""
    indexed: bool = False
    """It stands in a source, and is changed there."""
    batch: UUID | None = None
    """The distillation that wrote it, where it was one."""
    stale: bool | None = None
    """Of an observation that rests on other memories: whether one of those has changed since. None: it is none."""


@dataclass(frozen=True, slots=True)
class Version:
    """A former or present text of a memory."""

    memory_id: MemoryId
    version: int
    content: str
    title: str | None
    category: Category
    tags: tuple[str, ...]
    state: State
    changed_by: Principal
    changed_at: datetime
    change: str
    reason: str | None


@dataclass(frozen=True, slots=True)
class Draft:
    """What a caller wants remembered, parsed but not yet judged."""

    content: str
    layer: str = "private"
    agent_id: str | None = None
    account: str | None = None
    team_id: str | None = None
    visible_to: tuple[str, ...] = ()
    category: Category = Category.FACT
    title: str | None = None
    tags: tuple[str, ...] = ()
    project_id: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    isolation: Isolation = Isolation.AGENT
    source: str | None = None
    quote: str | None = None
    expires_at: datetime | None = None
    subject: str | None = None
    supersedes: MemoryId | None = None
    reason: str | None = None
    part_of: MemoryId | None = None
    """The head of the document that it is a section of: one of its author, with the same audience and project."""
    must_verify: bool = False
    """Refused where its quote is not found, whatever the gate."""
    heard: str | None = None
    """The text of the very message that it was taken from. Given by a flow, never by an edge; never stored."""
    batch: UUID | None = None
    """The distillation that wrote it."""


@dataclass(frozen=True, slots=True)
class Patch:
    """An edit: only the fields in ``named`` change. None clears a field that is named, and says nothing of one that is not."""

    content: str | None = None
    category: Category | None = None
    tags: tuple[str, ...] | None = None
    title: str | None = None
    subject: str | None = None
    expires_at: datetime | None = None
    reason: str | None = None
    named: frozenset[str] = field(default_factory=frozenset[str])


@dataclass(frozen=True, slots=True)
class Filters:
    """What narrows a read. Never what widens it."""

    project_id: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    team_id: str | None = None
    category: Category | None = None
    tags: tuple[str, ...] = ()
    layer: str | None = None
    state: State | None = None
    general: bool | None = None
    """True: only of no project. False: only of some."""
    or_global: bool = False
    """In a search, with ``project_id``: those of no project too."""
    distilled: bool | None = None
    """True: only what a distillation wrote. False: only the rest."""
    batch: UUID | None = None
    """Only what this distillation wrote."""
