"""Retrace: one's own questions again, with the memories that they found, as far as one may see them today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, TraceId
from whoknows.domain.memory import Memory
from whoknows.domain.trace import Asked, Trace
from whoknows.flows.follow import Follow, memories_of
from whoknows.policy.standing import scope_for
from whoknows.ports import Store

NEWEST = 200
"""So many questions make the distribution of scores."""


@dataclass(frozen=True, slots=True)
class Retraced:
    trace: Trace
    memories: Mapping[MemoryId, Memory]


@dataclass(frozen=True, slots=True)
class Retrace:
    store: Store
    follow: Follow

    async def trace(self, caller: Caller, trace: TraceId) -> Retraced:
        """A trace as ``follow.trace`` tells it, and the texts of what it names."""
        found = await self.follow.trace(caller, trace)
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            named = await tx.memories.load(scope, memories_of(found))
            return Retraced(found, {m.id: m for m in named})

    async def newest(self, caller: Caller, limit: int = NEWEST) -> Sequence[Asked]:
        """The newest questions first. What became invisible since does not count, as if it had not been found."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            asked = await tx.records.newest_traces(scope, min(limit, NEWEST))
            visible = await tx.records.visible(scope, list({s.memory for a in asked for s in a.scored}))
            return [replace(a, scored=tuple(s for s in a.scored if s.memory in visible)) for a in asked]
