"""Keep observations: the background work that states what says the same, and computes anew what is stale. It asks no model."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.observation import Gathered, Statement
from whoknows.errors import Conflict, RefusedByGate
from whoknows.flows.deriving import LEAST, Grows, extractive, grow, look, restate, through_gate
from whoknows.gate.cluster import largest
from whoknows.ports import Store
from whoknows.ports.observations import ObservationJobs, Put

UNASKED = 3
"""Statements that are stated without being asked: two may be chance."""
SETTLED = timedelta(minutes=2)
"""How long after a memory was written it is looked at: what comes together is looked at together."""
MOST = 50
"""Of each kind of work in one run."""
_DONE = (Put.MADE, Put.RECOMPUTED, Put.UNCHANGED, Put.ARCHIVED)


@dataclass(frozen=True, slots=True)
class KeepObservations:
    """Nothing leaves this machine here: extracts have the words, and the vectors, of their sources.

    Each step is a transaction of its own; one that somebody else disturbed is tried again in the next run.
    """

    store: Store
    settled: timedelta = SETTLED
    least: int = UNASKED

    async def __call__(self) -> int:
        """One run: what changed first, then what was deleted, then what is new. How many observations it touched."""
        return await self.recompute() + await self.remake() + await self.gather()

    async def recompute(self) -> int:
        """Observations of which a source was edited, superseded, archived or moved."""
        async with self.store.jobs() as jobs:
            suspects = await jobs.observations.suspects(MOST)

        async def one(jobs: ObservationJobs, suspect: MemoryId) -> Put:
            resting = await jobs.resting(suspect)
            done = Put.CHANGED if resting is None else await _past_gate(restate(jobs, resting))
            if done is Put.REFUSED:  # it stays as it is, and stale, until somebody says otherwise
                await jobs.unsuspect(suspect)
            return done

        return await self._each(suspects, one)

    async def remake(self) -> int:
        """Observations that went with one of their sources, from the others."""
        async with self.store.jobs() as jobs:
            remakes = {gone: (gathered, left) for gone, gathered, left in await jobs.observations.remakes(MOST)}

        async def one(jobs: ObservationJobs, gone: MemoryId) -> Put:
            gathered, left = remakes[gone]
            sources: Sequence[Statement] = largest(left) if gathered is Gathered.NEAR else left
            await jobs.remade(gone)
            if len(sources) < LEAST or len({s.audience for s in sources}) > 1:
                return Put.TAKEN
            return await _past_gate(_put(jobs, sources, gathered))

        return await self._each(list(remakes), one)

    async def gather(self) -> int:
        """Memories that nobody has looked at yet."""
        async with self.store.jobs() as jobs:
            due = await jobs.observations.due(self.settled, MOST)

        async def one(jobs: ObservationJobs, seed: MemoryId) -> Put:
            await jobs.looked_at([seed])
            match await look(jobs, seed, self.least):
                case None:
                    return Put.TAKEN
                case Grows() as grows:
                    return await _past_gate(grow(jobs, grows))
                case cluster:
                    return await _past_gate(_put(jobs, cluster, Gathered.NEAR))

        return await self._each(due, one)

    async def _each(self, what: Sequence[MemoryId], one: Callable[[ObservationJobs, MemoryId], Awaitable[Put]]) -> int:
        done = 0
        for it in what:
            try:
                async with self.store.jobs() as jobs:
                    done += await one(jobs.observations, it) in _DONE
            except Conflict:  # somebody is changing the same: the next run
                continue
        return done


async def _put(jobs: ObservationJobs, sources: Sequence[Statement], gathered: Gathered) -> Put:
    stating = await through_gate(jobs, extractive(sources))
    return await jobs.put(new_memory_id(), stating, gathered, own=False)


async def _past_gate(work: Awaitable[Put]) -> Put:
    try:
        return await work
    except RefusedByGate:
        return Put.REFUSED
