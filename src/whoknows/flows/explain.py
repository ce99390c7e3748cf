"""Explain: why a reader sees a memory or does not, and the matrix of who knows what."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.audience import Grant, Layer
from whoknows.domain.credential import Caller
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.principal import Kind, Principal, parse_space
from whoknows.domain.trace import Verdict
from whoknows.errors import Invalid, NotFound
from whoknows.flows.read import narrowed_scope, seen
from whoknows.policy.explain import explain
from whoknows.policy.standing import Standing, scope_for
from whoknows.ports import Clock, Store, Tx


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
            known = {p.id for p in await _readers(tx, standing, [now], grants)}
            other = None if asked is None or asked.id not in known else await _standing(tx, standing, asked)
            if other is None:
                raise NotFound("there is no such reader", field="reader")
            return explain(other, now, grants, self.clock.now())

    async def knows(self, caller: Caller, filters: Filters, limit: int, cursor: str | None) -> Matrix:
        """Readers × memories that the caller may see: the principals of those audiences, and the caller's teams."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            page = await tx.memories.page(scope, narrowed, limit, cursor)
            grants = await tx.directory.grants_of(list({m.audience.id for m in page.items}))
            readers = await _readers(tx, standing, page.items, grants)
            standings = [s for r in readers if (s := await _standing(tx, standing, r)) is not None]
            by_audience: dict[AudienceId, list[Grant]] = {}
            for g in grants:
                by_audience.setdefault(g.audience, []).append(g)
            now = self.clock.now()
            rows = [
                Knowledge(m, [explain(s, m, by_audience.get(m.audience.id, []), now) for s in standings]) for m in page.items
            ]
            return Matrix([s.reader for s in standings], rows, page.next_cursor)


async def _standing(tx: Tx, own: Standing, of: Principal) -> Standing | None:
    return own if of == own.reader else await tx.directory.standing_of(of.id)


async def _readers(tx: Tx, standing: Standing, memories: Sequence[Memory], grants: Sequence[Grant]) -> list[Principal]:
    """Whom the caller may be told about: itself, the principals of the audiences, and those on its teams."""
    readers: dict[Principal, None] = {standing.reader: None}
    for m in memories:
        if m.audience.layer is not Layer.TEAM:
            readers[m.audience.owner] = None
        for r in m.audience.readers:
            readers[r] = None
    for team in await tx.directory.teams():
        if standing.on_team(team.principal.id):
            for membership in team.members:
                readers[membership.principal] = None
    # Main agents share the account memory of their member; who they are is told to the member and to them alone.
    own = standing.reader if standing.reader.kind is Kind.MEMBER else standing.speaks_for
    for agent in await tx.directory.agents() if own is not None and own.id in {g.to for g in grants} else ():
        if agent.account == own:
            readers[agent.principal] = None
    return sorted(readers, key=lambda p: (p != standing.reader, p.kind, p.name))
