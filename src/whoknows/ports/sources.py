"""The gateway of sources: what is registered, and the index of its documents."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.memory import State
from whoknows.domain.source import Source, SourceId, SourceLocation
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.ports.memories import IndexTerms
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class IndexedFile:
    """What the index holds of one document. ``form`` is the form of the index in which it was written."""

    path: str
    blob: str
    form: int


@dataclass(frozen=True, slots=True)
class Indexed:
    """A document of the index: the memory that is its head, and in how many sections it was taken apart."""

    path: str
    memory: MemoryId
    title: str | None
    state: State
    sections: int


@dataclass(frozen=True, slots=True)
class IndexedPiece:
    """One memory of a document: its head (``anchor`` empty), or a section. Lines count from 1."""

    anchor: str
    memory: MemoryId
    """The id it gets where the piece is new; one that is there keeps its own."""
    title: str
    content: str
    category: str
    tags: Sequence[str]
    content_hash: str
    digest: str
    """Of title, category, tags and content: whether the piece says something else than before."""
    line_start: int
    line_end: int
    evidence: Sequence[Evidence]
    dated: datetime | None
    index: IndexTerms | None
    """None: it says what it said before, and only its place has changed."""
    vectors: Sequence[Vector]
    pending: bool


@dataclass(frozen=True, slots=True)
class Lapse:
    """A document that no longer holds: overturned by the one at ``by``, or (None) with nothing in its place."""

    path: str
    by: str | None
    reason: str | None


class Sources(Protocol):
    """Registered sources that the reader may see, and their index. Each change is checked again where it is made.

    ``lease`` names one synchronisation: it is the only one of its source until it ends or is not renewed.
    """

    async def named(self, scope: ReadScope, name: str) -> Source | None:
        """The one of that name among those of the scope; of several the one that was registered first."""
        ...

    async def under(self, scope: ReadScope, path: str) -> Source | None:
        """The folder that an absolute path lies in, or that ``name/relative path`` names."""
        ...

    async def get(self, source: SourceId) -> Source | None: ...
    async def all(self) -> Sequence[Source]:
        """By name. An administrator sees those of teams too, and those it registered itself."""
        ...

    async def may_change(self, owner: PrincipalId) -> bool:
        """Whether the caller is an administrator, an owner of that team, or that member (or works for it)."""
        ...

    async def may_register(self, owner: PrincipalId) -> bool:
        """Whether the caller is an administrator, or an owner of that team."""
        ...

    async def register(self, source: SourceId, name: str, location: SourceLocation, owner: PrincipalId) -> None: ...
    async def begin(self, source: SourceId, lease: UUID, seconds: float) -> bool:
        """False where another synchronisation is under way."""
        ...

    async def renew(self, source: SourceId, lease: UUID, seconds: float) -> bool: ...
    async def finish(self, source: SourceId, lease: UUID, revision: str | None) -> bool:
        """The end of a synchronisation; ``revision`` is what the index shows now, None where it was not finished."""
        ...

    async def indexed(self, source: SourceId) -> Sequence[IndexedFile]: ...
    async def documents(self, scope: ReadScope, source: SourceId, limit: int, cursor: str | None) -> Page[Indexed]:
        """By path; the cursor is the id of the last one's head."""
        ...

    async def known_pieces(self, source: SourceId, path: str) -> Mapping[str, str]:
        """Anchor → digest of what the index holds of a document."""
        ...

    async def move(self, source: SourceId, lease: UUID, path: str, to: str) -> None: ...
    async def write(self, source: SourceId, lease: UUID, file: IndexedFile, pieces: Sequence[IndexedPiece]) -> None:
        """One document as it is now, its head first. A piece keeps the id of what stood at its anchor; all else of it goes."""
        ...

    async def drop(self, source: SourceId, lease: UUID, paths: Sequence[str]) -> None: ...
    async def settle(self, source: SourceId, lease: UUID, lapses: Sequence[Lapse]) -> None:
        """Which documents lapsed, and by which: all that are not named are current."""
        ...

    async def clear(self, source: SourceId, most: int) -> int:
        """Take up to ``most`` memories out of the index; how many went. 0: there are none left."""
        ...

    async def remove(self, source: SourceId) -> None: ...
