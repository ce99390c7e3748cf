"""Survey: who knows what as one whole, however long: its length, its columns, and its rows from any place on."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.injection import Injection
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.principal import Principal
from whoknows.domain.trace import Verdict
from whoknows.errors import NotFound
from whoknows.flows.limits import Limits
from whoknows.flows.read import narrowed_scope, seen
from whoknows.flows.readers import readers_of, standings_of, verdicts_on
from whoknows.policy.explain import explain
from whoknows.policy.standing import scope_for
from whoknows.ports import Clock, Store


@dataclass(frozen=True, slots=True)
class Known:
    """A memory, a verdict for each reader that was asked for, and who holds a copy that the caller gave."""

    memory: Memory
    verdicts: Sequence[Verdict]
    given_to: frozenset[str]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some rows, newest first, and all the readers of the whole list; verdicts are on those that were asked for."""

    readers: Sequence[Principal]
    rows: Sequence[Known]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Outline:
    """``marks`` are the memories at every so many-th place: cursors from which a stretch goes on. ``teams``: the reader's."""

    memories: int
    marks: Sequence[MemoryId]
    teams: Sequence[Principal]


@dataclass(frozen=True, slots=True)
class Cell:
    """``gift``: by what the reader holds a copy that the caller gave, whatever the verdict on the memory itself."""

    memory: Memory
    verdict: Verdict
    gift: Injection | None


@dataclass(frozen=True, slots=True)
class Survey:
    store: Store
    clock: Clock
    limits: Limits

    async def outline(self, caller: Caller, filters: Filters, every: int) -> Outline:
        """Counts what the caller may see, and nothing else."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            memories, marks = await tx.memories.outline(scope, narrowed, every)
            return Outline(memories, marks, [t.team for t in standing.teams.values()])

    async def stretch(
        self, caller: Caller, filters: Filters, limit: int, cursor: str | None, columns: slice = slice(None)
    ) -> Stretch:
        """Rows behind ``cursor``, judged for the readers within ``columns``. The readers are the same for every stretch:
        those of all audiences in the list, not only of these rows, and whom the caller has given something."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            audiences = await tx.memories.inhabited(scope, narrowed)
            grants = await tx.directory.grants_of([a.id for a in audiences])
            told = await readers_of(tx, standing, audiences, grants)
            readers = [*told, *(p for p in await tx.handover.given_to(scope) if p not in set(told))]
            page = await tx.memories.page(scope, narrowed, min(limit, self.limits.page), cursor, scope_for(standing))
            standings = await standings_of(tx, standing, readers[columns])
            cells = verdicts_on(page.items, standings, grants, self.clock.now())
            gifts = await tx.handover.given_of(scope, [m.id for m in page.items])
            given = {m.id: frozenset(g.target.space for g in gifts if g.original == m.id) for m in page.items}
            rows = [Known(m, c, given[m.id]) for m, c in zip(page.items, cells, strict=True)]
            return Stretch(readers, rows, page.next_cursor)

    async def everyone(self, caller: Caller, memory: MemoryId) -> Known:
        """The verdicts on all readers of whom the caller is told with a memory that it sees; NotFound for another memory."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            now = await seen(tx, scope, memory)
            grants = await tx.directory.grants_of([now.audience.id])
            gifts = await tx.handover.given_of(scope, [memory])
            told = dict.fromkeys([*await readers_of(tx, standing, [now.audience], grants), *(g.target for g in gifts)])
            [verdicts] = verdicts_on([now], await standings_of(tx, standing, list(told)), grants, self.clock.now())
            return Known(now, verdicts, frozenset(g.target.space for g in gifts))

    async def cell(self, caller: Caller, memory: MemoryId, reader: str) -> Cell:
        """One memory that the caller sees and one reader, a column of any stretch: NotFound for others, alike."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            now = await seen(tx, scope, memory)
            grants = await tx.directory.grants_of([now.audience.id])
            audiences = await tx.memories.inhabited(scope, Filters())
            ways = await tx.directory.grants_of([a.id for a in audiences])
            told = [*await readers_of(tx, standing, audiences, ways), *await tx.handover.given_to(scope)]
            asked = next((p for p in told if p.space == reader), None)
            other = [] if asked is None else await standings_of(tx, standing, [asked])
            if not other:
                raise NotFound("there is no such reader", field="reader")
            gifts = await tx.handover.given_of(scope, [memory])
            verdict = explain(other[0], now, grants, self.clock.now())
            return Cell(now, verdict, next((g for g in gifts if g.target == asked), None))
