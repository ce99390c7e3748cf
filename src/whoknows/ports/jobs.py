"""The gateway of background work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from whoknows.domain.distillation import ClaimedTurn
from whoknows.domain.egress import Endpoint
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.ports.citations import DueEvidence, Looked
from whoknows.ports.embedder import Vector
from whoknows.ports.hook_turns import HookJobs
from whoknows.ports.memories import IndexTerms
from whoknows.ports.observations import ObservationJobs


@dataclass(frozen=True, slots=True)
class PendingEmbedding:
    """A text without vectors. ``kept_back``: its ``bank`` forbids that it leaves this machine. ``unindexed``: its words are in
    no index either, since a part of them went with another memory."""

    memory: MemoryId
    version: int
    title: str | None
    content: str
    bank: PrincipalId
    kept_back: bool
    unindexed: bool = False


class Jobs(Protocol):
    """What background work may do: complete accepted writes, and sweep."""

    @property
    def observations(self) -> ObservationJobs: ...
    @property
    def hooks(self) -> HookJobs: ...

    async def pending(self, memory: MemoryId) -> PendingEmbedding | None: ...
    async def index_again(self, memory: MemoryId, version: int, index: IndexTerms) -> None:
        """The words of a text into the index, if that is its version still and they are in none."""
        ...

    async def requeue(self) -> int: ...
    async def release(self) -> None:
        """What was kept back may be embedded: no embedder is outside."""
        ...

    async def note_egress(self, endpoint: Endpoint, memories: Sequence[MemoryId]) -> None: ...
    async def complete(self, memory: MemoryId, version: int, vectors: Sequence[Vector]) -> bool: ...
    async def failed(self, memory: MemoryId, fault: str) -> None: ...
    async def sweep(self, most: int) -> int: ...
    async def sweep_tasks(self) -> int: ...
    async def sweep_departed(self, grace_days: int) -> int: ...
    async def sweep_old(self, keep_days: int) -> None: ...
    async def settle_events(self) -> None: ...
    async def settle_publications(self, most: int) -> int: ...
    async def due_evidence(self, most: int) -> Sequence[DueEvidence]:
        """Quotes from registered sources that moved on, or are gone, since they were looked for."""
        ...

    async def mark_evidence(self, looked: Sequence[Looked]) -> int: ...
    async def claim_turns(
        self, lease: timedelta, most: int, tries: int, after: PrincipalId | None = None
    ) -> Sequence[ClaimedTurn]:
        """Turns of chat that wait to be distilled, for so long in the caller's hands; after ``tries`` one is given up.

        The oldest of each account that has none in hand, by account, beginning with the account behind ``after``.
        """
        ...

    async def renew_turns(self, turns: Sequence[ClaimedTurn], lease: timedelta) -> None:
        """Those that are still in the caller's hands stay there for so long."""
        ...

    async def put_off_turn(self, turn: ClaimedTurn, for_good: bool) -> None:
        """It failed: again after a pause, or never."""
        ...

    async def cached(self, key: str) -> Sequence[float] | None:
        """What was computed once for an embedder; it holds nobody's data."""
        ...

    async def cache(self, key: str, value: Sequence[float]) -> None: ...
