"""Explain: why a reader sees a memory or does not, and the matrix of who knows what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.principal import Kind, Principal, parse_space
from whoknows.domain.trace import Verdict
from whoknows.errors import Invalid, NotFound
from whoknows.flows.read import narrowed_scope, seen
from whoknows.flows.readers import readers_of, standings_of, verdicts_on
from whoknows.policy.explain import explain
from whoknows.policy.standing import scope_for
from whoknows.ports import Clock, Store


@dataclass(frozen=True, slots=True)
class Knowledge:
    """One row of the matrix: a memory, and for each reader the verdict."""

    memory: Memory
    verdicts: Sequence[Verdict]


@dataclass(frozen=True, slots=True)
class Matrix:
    readers: Sequence[Principal]
    rows: Sequence[Knowledge]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Explain:
    store: Store
    clock: Clock

    async def why(self, caller: Caller, memory: MemoryId, reader: str | None) -> Verdict:
        """The verdict on one reader and a memory that the caller may see; NotFound otherwise, whoever is asked about.

        A reader who is no principal of the memory's audience and on none of the caller's teams is NotFound as well.
        """
        named = None if reader is None else parse_space(reader)
        if reader is not None and (named is None or named[0] is Kind.TEAM):
            raise Invalid("name a reader as agent:x or member:m", field="reader")
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            now = await seen(tx, scope_for(standing), memory)
            grants = await tx.directory.grants_of([now.audience.id])
            if named is None:
                return explain(standing, now, grants, self.clock.now())
            asked = await tx.directory.find(*named)
            known = asked in await readers_of(tx, standing, [now.audience], grants)
            other = await standings_of(tx, standing, [asked]) if asked is not None and known else []
            if not other:
                raise NotFound("there is no such reader", field="reader")
            return explain(other[0], now, grants, self.clock.now())

    async def why_each(self, caller: Caller, memories: Sequence[MemoryId], reader: Principal) -> Mapping[MemoryId, Verdict]:
        """As ``why`` of one reader for several memories; without those of which the caller is told nothing."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            found = await tx.memories.load(scope_for(standing), memories)
            grants = await tx.directory.grants_of(list({m.audience.id for m in found}))
            if reader not in await readers_of(tx, standing, [m.audience for m in found], grants):
                return {}
            other = await standings_of(tx, standing, [reader])
            rows = verdicts_on(found, other, grants, self.clock.now())
            return {v.memory: v for row in rows for v in row}

    async def knows(self, caller: Caller, filters: Filters, limit: int, cursor: str | None) -> Matrix:
        """Readers × memories that the caller may see: the principals of those audiences, and the caller's teams."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            page = await tx.memories.page(scope, narrowed, limit, cursor)
            grants = await tx.directory.grants_of(list({m.audience.id for m in page.items}))
            readers = await readers_of(tx, standing, [m.audience for m in page.items], grants)
            standings = await standings_of(tx, standing, readers)
            cells = verdicts_on(page.items, standings, grants, self.clock.now())
            rows = [Knowledge(m, row) for m, row in zip(page.items, cells, strict=True)]
            return Matrix([s.reader for s in standings], rows, page.next_cursor)
