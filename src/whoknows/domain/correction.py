"""Corrections: what somebody had to put right, when and in which program; and what had to be put right again."""

from dataclasses import dataclass
from datetime import datetime
from typing import NewType
from uuid import UUID

from whoknows.domain.audience import Layer
from whoknows.domain.ids import AudienceId, MemoryId, uuid7
from whoknows.domain.principal import Principal

CorrectionId = NewType("CorrectionId", UUID)


def new_correction_id() -> CorrectionId:
    return CorrectionId(uuid7())


@dataclass(frozen=True, slots=True)
class Correction:
    """``text`` is None once a memory is gone that it puts right, or that has its words: then only that it was remains.

    ``about`` and ``memory`` are told to those who may see these memories. ``about_key`` is never shown: it says of two
    corrections that they are about one memory, also when that is gone.
    """

    id: CorrectionId
    audience: AudienceId
    layer: Layer
    owner: Principal
    author: Principal
    text: str | None
    subject: str | None
    project_id: str | None
    harness: str | None
    about: MemoryId | None
    about_key: UUID | None
    memory: MemoryId | None
    at: datetime
    recorded_at: datetime
    measured: bool = False
    """Whether it has a vector to be compared by."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """One thing that was corrected at least twice. ``text`` is the newest that is left; ``weeks`` are ISO weeks (UTC)."""

    subject: str | None
    about: MemoryId | None
    text: str | None
    owner: Principal
    count: int
    weeks: tuple[tuple[str, int], ...]
    first: datetime
    last: datetime
    corrections: tuple[CorrectionId, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """``begin`` belongs to it, ``end`` does not. ``things``: how many different things were corrected; ``weeks``: how often in
    each ISO week (UTC).

    ``complete`` is False where there were more corrections than a summary looks at: the oldest of them are not in it.
    """

    begin: datetime
    end: datetime
    corrections: int
    things: int
    repeated: tuple[Repeated, ...]
    complete: bool = True
    weeks: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """As many weeks before a moment, and after it."""

    before: Period
    after: Period
