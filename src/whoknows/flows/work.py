"""Background work: complete the vectors of long texts, and sweep what has ended."""

from dataclasses import dataclass

from whoknows.domain.egress import Cleared, Purpose
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.errors import DimensionMismatch, EmbedderUnavailable
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.prepare import checked, index_terms, passages_of
from whoknows.policy.egress import cleared, kept_here
from whoknows.ports import Embedder, PendingEmbedding, Store, Vector

_AT_ONCE = 8
"""Passages of one call of the embedder: long texts must not keep questions waiting."""
KEEP_DAYS = 30
GRACE_DAYS = 30
"""Private memories of a deleted agent or member are deleted so many days later."""


@dataclass(frozen=True, slots=True)
class Work:
    store: Store
    embedder: Embedder
    egress: Egress

    async def embed(self, memory: MemoryId) -> bool:
        """Make the vectors of one text that waits for them. False where it was deleted, edited, or done meanwhile.

        Nor is it done where the embedder is outside and the bank forbids that: the text waits until the bank allows it.

        Doing it twice does no harm. An embedder that fails leaves the text pending, found by its words.
        """
        async with self.store.jobs() as jobs:
            pending = await jobs.pending(memory)
        if pending is None:
            return False
        if pending.unindexed:
            async with self.store.jobs() as jobs:
                await jobs.index_again(memory, pending.version, index_terms(pending.content, pending.title))
        passages = await self._leaving(pending)
        if passages is None:
            return False
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

    async def _leaving(self, pending: PendingEmbedding) -> list[Cleared] | None:
        """Its passages for the embedder, and counted where that is outside; None where the bank keeps them back."""
        passages = passages_of(pending.content, pending.title)
        outside = self.egress.leaves(Purpose.EMBEDDING)
        if outside is None:
            return [kept_here(p) for p in passages]
        forbidding = {pending.bank} if pending.kept_back else frozenset[PrincipalId]()
        leaving = [c for p in passages if (c := cleared(p, [pending.bank], forbidding)) is not None]
        async with self.store.jobs() as jobs:
            if len(leaving) < len(passages):
                await jobs.failed(pending.memory, FORBIDDEN)
                return None
            await jobs.note_egress(outside, [pending.memory])
        return leaving

    async def requeue(self) -> int:
        """Put texts back in the queue whose worker died; how many."""
        async with self.store.jobs() as jobs:
            if self.egress.leaves(Purpose.EMBEDDING) is None:  # whatever was kept back may go on: it stays here
                await jobs.release()
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
