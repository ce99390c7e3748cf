"""The gateway of memories, and what is written through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from whoknows.domain.audience import Audience, AudienceKey
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import Filters, Memory, Version
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class IndexTerms:
    """A text as the lexical arm stores it: term hashes (64 bit, signed), their frequencies, the length in terms, its script."""

    terms: Sequence[int]
    frequencies: Sequence[int]
    length: int
    wide: bool


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored, with what both arms need. ``vectors`` is empty where a job will make them."""

    id: MemoryId
    audience: AudienceId
    author: PrincipalId
    content: str
    title: str | None
    category: str
    subject: str | None
    tags: Sequence[str]
    isolation: str
    project_id: str | None
    session_id: str | None
    task_id: str | None
    state: str
    supersedes: MemoryId | None
    reason: str | None
    content_hash: str
    dedupe_key: bytes
    dedupe_author: PrincipalId | None
    expires_at: datetime | None
    evidence: Sequence[Evidence]
    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool
    part_of: MemoryId | None = None
    batch: UUID | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """The whole of a memory's text fields after an edit."""

    id: MemoryId
    version: int
    content: str
    title: str | None
    category: str
    subject: str | None
    tags: Sequence[str]
    expires_at: datetime | None
    reason: str | None
    content_hash: str
    dedupe_key: bytes
    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool
    reindex: bool


@dataclass(frozen=True, slots=True)
class DuplicateKey:
    """What W7 calls equal."""

    audience: AudienceId
    dedupe_key: bytes
    dedupe_author: PrincipalId | None
    project_id: str | None
    session_id: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class SubjectKey:
    """What a statement is about, and where: of each author there is one current statement."""

    audience: AudienceId
    subject: str
    project_id: str | None
    session_id: str | None


class Memories(Protocol):
    """The memories of one transaction. Every read takes the scope first."""

    async def get(self, scope: ReadScope, memory: MemoryId) -> Memory | None: ...
    async def load(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[Memory]:
        """Those of ``memories`` that are in scope, in the given order, with authors, evidence and what they overturned."""
        ...

    async def page(
        self, scope: ReadScope, filters: Filters, limit: int, cursor: str | None, whole: ReadScope | None = None
    ) -> Page[Memory]:
        """``whole``: all that the reader may see, where ``scope`` is narrower; each memory is told within it."""
        ...

    async def projects(self, scope: ReadScope) -> Sequence[str]:
        """The projects of the newest memories, by name."""
        ...

    async def outline(self, scope: ReadScope, filters: Filters, every: int) -> tuple[int, Sequence[MemoryId]]:
        """How many memories a list has from end to end, newest first, and which one stands at every so many-th place."""
        ...

    async def inhabited(self, scope: ReadScope, filters: Filters) -> Sequence[Audience]:
        """The audiences that the memories of such a list have."""
        ...

    async def history(self, scope: ReadScope, memory: MemoryId) -> Sequence[Version]: ...
    async def chain(self, scope: ReadScope, memory: MemoryId) -> Sequence[Memory]:
        """The visible memories of one chain of supersession, newest first."""
        ...

    async def duplicates(self, scope: ReadScope, keys: Sequence[DuplicateKey]) -> dict[DuplicateKey, MemoryId]: ...
    async def current_on(self, scope: ReadScope, subject: SubjectKey) -> Sequence[Memory]:
        """The active statements about a subject, newest first; no copies."""
        ...

    async def near(
        self, scope: ReadScope, audience: AudienceId, vector: Vector, newest: int, limit: int
    ) -> Sequence[tuple[MemoryId, float]]:
        """The active memories of one audience that are nearest to ``vector``, with their cosine, best first: of the
        ``newest`` passages there."""
        ...

    async def deletable(self, scope: ReadScope, filters: Filters) -> Sequence[MemoryId]: ...
    async def now(self) -> datetime:
        """The database's clock at the beginning of the transaction: by it memories expire."""
        ...

    async def audience(self, key: AudienceKey) -> AudienceId: ...
    async def add(self, memories: Sequence[NewMemory]) -> None: ...
    async def attribute(
        self, scope: ReadScope, memory: MemoryId, words: bytes, author: PrincipalId, evidence: Sequence[Evidence]
    ) -> None:
        """Join ``author`` to the memory of the same words; DuplicateMemory where it is gone, moved or edited since."""
        ...

    async def edit(self, scope: ReadScope, edit: Edit) -> bool:
        """False where ``edit.version`` is not the present version any more."""
        ...

    async def supersede(self, old: MemoryId, new: MemoryId, reason: str | None) -> bool: ...
    async def overturn(self, old: MemoryId, new: MemoryId, reason: str | None) -> bool:
        """The same between two memories that are there, each with a reason of its own."""
        ...

    async def set_state(self, memory: MemoryId, state: str) -> bool: ...
    async def share(self, memory: MemoryId, reader: PrincipalId, given: bool) -> bool: ...
    async def forget(self, memories: Sequence[MemoryId], version: int | None = None) -> tuple[int, int, int]:
        """(deleted, released, copied): rows removed, rows that others wrote too, from which only one's own name was taken, and
        copies of the former that the caller made, which went along."""
        ...
