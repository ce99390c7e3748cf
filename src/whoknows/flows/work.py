"""Background work: complete the vectors of long texts, and sweep what has ended."""

from dataclasses import dataclass

from whoknows.domain.ids import MemoryId
from whoknows.errors import DimensionMismatch, EmbedderUnavailable
from whoknows.flows.prepare import checked, passages_of
from whoknows.ports import Embedder, Store, Vector

_AT_ONCE = 8
"""Passages of one call of the embedder: long texts must not keep questions waiting."""
KEEP_DAYS = 30
GRACE_DAYS = 30
"""Private memories of a deleted agent or member are deleted so many days later."""


@dataclass(frozen=True, slots=True)
class Work:
    store: Store
    embedder: Embedder

    async def embed(self, memory: MemoryId) -> bool:
        """Make the vectors of one long text. False where it was deleted, edited, or done meanwhile.

        Doing it twice does no harm. An embedder that fails leaves the text pending, found by its words.
        """
        async with self.store.jobs() as jobs:
            pending = await jobs.pending(memory)
        if pending is None:
            return False
        passages = passages_of(pending.content, pending.title)
        vectors: list[Vector] = []
        try:
            for start in range(0, len(passages), _AT_ONCE):
                part = await self.embedder.embed_passages(passages[start : start + _AT_ONCE])
                vectors += [checked(v, self.embedder) for v in part]
        except (EmbedderUnavailable, DimensionMismatch) as fault:
            async with self.store.jobs() as jobs:
                await jobs.failed(memory, fault.detail[:500])
            raise
        async with self.store.jobs() as jobs:
            return await jobs.complete(memory, pending.version, vectors)

    async def requeue(self) -> int:
        """Put texts back in the queue whose worker died; how many."""
        async with self.store.jobs() as jobs:
            return await jobs.requeue()

    async def sweep(self) -> int:
        """Close tasks that are over, and remove what has expired; what it had overturned is current again. How many went."""
        async with self.store.jobs() as jobs:
            return await jobs.sweep_tasks() + await jobs.sweep(500)

    async def settle_publications(self) -> int:
        """Carry publications whose process died to their end, or give them up, and take down what must not stay; how many."""
        async with self.store.jobs() as jobs:
            return await jobs.settle_publications(500)

    async def sweep_old(self) -> int:
        """What has been kept long enough; a thousand departed memories at a time, each time in a transaction of its own."""
        gone = 0
        while True:
            async with self.store.jobs() as jobs:
                some = await jobs.sweep_departed(GRACE_DAYS)
            gone += some
            if some == 0:
                break
        async with self.store.jobs() as jobs:
            await jobs.sweep_old(KEEP_DAYS)
        return gone
