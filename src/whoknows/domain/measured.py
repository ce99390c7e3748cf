"""What an installation tells of itself: to administrators how it is built, to who runs it how large it is and what waits."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Built:
    """``schema`` is the newest migration of the database, ``server`` and ``pgvector`` are versions."""

    schema: str
    server: str
    pgvector: str
    embedder: str
    dimensions: int
    founded_at: datetime


@dataclass(frozen=True, slots=True)
class TableSize:
    """``size`` in bytes, with its indexes; the database gives out whole pages of 8 kB."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Backlog:
    """Work that was accepted and is not done: ``waiting`` is a power of ten that it is below (1: nothing waits).

    ``failed`` likewise, of what was tried at least once. ``oldest`` is since when the first one waits.
    """

    work: str
    waiting: int
    failed: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Measured:
    """``database`` in bytes; None where the server does not say. Tables: the largest, largest first."""

    database: int | None
    tables: tuple[TableSize, ...]
    backlogs: tuple[Backlog, ...]
