"""The gateway of corrections: what had to be put right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from whoknows.domain.correction import Correction, CorrectionId
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class NewCorrection:
    """``vector`` None: it is compared by its words alone. ``memory`` is the one that has the same words, if there is one."""

    id: CorrectionId
    audience: AudienceId
    text: str
    vector: Vector | None
    subject: str | None
    project_id: str | None
    harness: str | None
    about: MemoryId | None
    memory: MemoryId | None
    at: datetime


class Corrections(Protocol):
    """Every read takes the scope first: corrections are seen by who sees the memories beside which they stand."""

    async def record(self, new: NewCorrection) -> None: ...
    async def get(self, scope: ReadScope, correction: CorrectionId) -> Correction | None: ...
    async def page(self, scope: ReadScope, project: str | None, limit: int, cursor: str | None) -> Page[Correction]:
        """Those that were recorded last come first."""
        ...

    async def between(
        self, scope: ReadScope, begin: datetime, end: datetime, project: str | None, limit: int
    ) -> Sequence[Correction]:
        """Those made from ``begin`` to before ``end``, the newest first."""
        ...

    async def near(
        self, scope: ReadScope, corrections: Sequence[CorrectionId], least: float
    ) -> Mapping[tuple[CorrectionId, CorrectionId], float]:
        """The cosine of each pair of ``corrections`` of one audience where it is at least ``least``; each pair once."""
        ...

    async def forget(self, correction: CorrectionId) -> bool:
        """False where it is gone. Forbidden where it is not the caller's to delete."""
        ...
