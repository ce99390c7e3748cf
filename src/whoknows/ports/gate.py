"""The gateway of the gate: who set it, what waits for a reviewer, and what did not go in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from whoknows.domain.evidence import EvidenceLevel
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.principal import GateLevel
from whoknows.errors import Finding
from whoknows.policy.standing import ReadScope
from whoknows.ports.memories import Edit, SubjectKey
from whoknows.ports.paging import Page


class Admission(StrEnum):
    """What became of a draft that was let in. STALE: what it wants to overturn is not current any more; it still waits."""

    STORED = "stored"
    MERGED = "merged"
    SUPERSEDING = "superseding"
    STALE = "stale"


@dataclass(frozen=True, slots=True)
class Failure:
    """A write that did not go in. No text of it."""

    id: UUID
    route: str
    code: str
    detail: str
    findings: tuple[Finding, ...]
    at: datetime | None = None


class Gate(Protocol):
    """What waits is read through the scope; the ledger is the caller's own alone."""

    async def level(self, owner: PrincipalId) -> GateLevel: ...
    async def lock(self, subjects: Sequence[SubjectKey]) -> None:
        """Until the commit, nobody else writes about these."""
        ...

    async def leave_words(self, memory: MemoryId, now: MemoryId) -> bool:
        """Take the actor's name from words that others wrote too: ``now`` is what it says instead. False where it is alone."""
        ...

    async def copied_level(self, original: MemoryId, team: PrincipalId) -> EvidenceLevel:
        """How well a copy for ``team`` would be evidenced."""
        ...

    async def waiting(self, scope: ReadScope, limit: int, cursor: str | None) -> Page[MemoryId]:
        """What the caller may review, oldest first."""
        ...

    async def may_review(self, memory: MemoryId) -> bool: ...
    async def reword(self, edit: Edit) -> bool: ...
    async def admit(self, memory: MemoryId) -> tuple[Admission, MemoryId]: ...
    async def reject(self, memory: MemoryId, entry: UUID, reason: str) -> None: ...
    async def fail(self, failures: Sequence[Failure]) -> None: ...
    async def ledger(self, limit: int, cursor: str | None) -> Page[Failure]: ...
