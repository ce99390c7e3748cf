"""The gateway of background work."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from whoknows.domain.ids import MemoryId
from whoknows.ports.embedder import Vector


@dataclass(frozen=True, slots=True)
class PendingEmbedding:
    memory: MemoryId
    version: int
    title: str | None
    content: str


class Jobs(Protocol):
    """What background work may do: complete accepted writes, and sweep."""

    async def pending(self, memory: MemoryId) -> PendingEmbedding | None: ...
    async def requeue(self) -> int: ...
    async def complete(self, memory: MemoryId, version: int, vectors: Sequence[Vector]) -> bool: ...
    async def failed(self, memory: MemoryId, fault: str) -> None: ...
    async def sweep(self, most: int) -> int: ...
    async def sweep_departed(self, grace_days: int) -> int: ...
    async def sweep_old(self, keep_days: int) -> None: ...
    async def settle_events(self) -> None: ...
    async def cached(self, key: str) -> Sequence[float] | None:
        """What was computed once for an embedder; it holds nobody's data."""
        ...

    async def cache(self, key: str, value: Sequence[float]) -> None: ...
