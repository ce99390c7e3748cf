"""Browse: memories as a person looks through them, each with its last use, its copies, and what may be done with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.audience import Layer
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.injection import Injection
from whoknows.domain.memory import Filters, Memory, State
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.publication import PublicationState
from whoknows.flows.limits import Limits
from whoknows.flows.publishable import Published, told
from whoknows.flows.read import narrowed_scope, seen
from whoknows.policy.decision import Allowed
from whoknows.policy.publishing import may_publish
from whoknows.policy.rules import may_change, may_edit, may_share, may_write_private, may_write_team
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.policy.whose import Whose, narrowed_to
from whoknows.ports import Page, Store, Tx

_GONE = (PublicationState.WITHDRAWN, PublicationState.REMOVED, PublicationState.DELETED)


@dataclass(frozen=True, slots=True)
class Rights:
    """What the reader may do with one memory. ``publish_to``: the teams that it may be copied to, everyone's last."""

    delete: bool
    edit: bool
    share: bool
    publish_to: tuple[Principal, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """``last_used``: when a context of the reader, or of its account, last held it. ``published`` and ``given`` are the copies
    that the reader made of it: those that it ever published, and those that are with somebody now."""

    memory: Memory
    last_used: datetime | None
    rights: Rights
    published: tuple[Published, ...] = ()
    given: tuple[Injection, ...] = ()

    @property
    def copies(self) -> int:
        """How many go with it when it is deleted."""
        return sum(p.state not in _GONE and p.publication.memory is not None for p in self.published) + len(self.given)


@dataclass(frozen=True, slots=True)
class Places:
    """Where the caller may write. ``account`` None where it works for nobody."""

    reader: Principal
    account: Principal | None
    teams: tuple[Principal, ...]


@dataclass(frozen=True, slots=True)
class Browse:
    store: Store
    limits: Limits

    async def shelves(
        self, caller: Caller, shelves: Sequence[Filters], whose: Whose | None, limit: int, cursor: str | None = None
    ) -> list[Page[Kept]]:
        """A page of each of ``shelves``, newest first, in one transaction; current ones, where no state is named."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            whole = scope_for(standing)
            pages: list[Page[Memory]] = []
            for filters in shelves:
                scope, narrowed = narrowed_scope(standing, filters)
                scope = narrowed_to(standing, scope, whose)
                pages.append(await tx.memories.page(scope, narrowed, min(limit, self.limits.page), cursor, whole))
            found = {k.memory.id: k for k in await _kept(tx, standing, whole, [m for page in pages for m in page.items])}
            return [Page([found[m.id] for m in page.items], page.next_cursor) for page in pages]

    async def one(self, caller: Caller, memory: MemoryId) -> Kept:
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            (kept,) = await _kept(tx, standing, scope, [await seen(tx, scope, memory)])
            return kept

    async def these(self, caller: Caller, memories: Sequence[Memory]) -> Sequence[Kept]:
        """Those of ``memories``, which the caller was told of just now, that it still sees, as they are now."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            return await _kept(tx, standing, scope, await tx.memories.load(scope, [m.id for m in memories]))

    async def places(self, caller: Caller) -> Places:
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            account = standing.speaks_for
            writes = account is not None and isinstance(may_write_private(standing, account), Allowed)
            return Places(standing.reader, account if writes else None, _writable(standing))


async def _kept(tx: Tx, standing: Standing, scope: ReadScope, memories: Sequence[Memory]) -> list[Kept]:
    if not memories:
        return []
    ids = [m.id for m in memories]
    readers = [p.id for p in (standing.reader, standing.speaks_for) if p is not None]
    used = await tx.context.last_used(scope, ids, readers)
    published: dict[MemoryId, list[Published]] = {}
    given: dict[MemoryId, list[Injection]] = {}
    own = [m.id for m in memories if m.audience.layer is Layer.PRIVATE and m.author == standing.reader]
    if own:
        publications = await tx.publications.of(scope, own)
        for p in await told(tx, list(publications)) if publications else ():
            published.setdefault(p.publication.original, []).append(p)
    for gift in await tx.handover.given_of(scope, ids) if standing.reader.kind is Kind.AGENT else ():
        if gift.original is not None:
            given.setdefault(gift.original, []).append(gift)
    return [
        Kept(m, used.get(m.id), _rights(standing, m), tuple(published.get(m.id, ())), tuple(given.get(m.id, ())))
        for m in memories
    ]


def _rights(standing: Standing, memory: Memory) -> Rights:
    change = isinstance(may_change(standing, memory), Allowed)
    current = memory.state in (State.ACTIVE, State.HELD, State.ARCHIVED)
    shares = isinstance(may_share(standing, memory), Allowed) and memory.audience.session is None
    return Rights(
        delete=change,
        edit=change and current and memory.stale is None and isinstance(may_edit(standing, memory), Allowed),
        share=shares,
        publish_to=_destinations(standing, memory) if memory.state is State.ACTIVE else (),
    )


def _destinations(standing: Standing, memory: Memory) -> tuple[Principal, ...]:
    return tuple(t for t in _writable(standing) if isinstance(may_publish(standing, memory, t.id), Allowed))


def _writable(standing: Standing) -> tuple[Principal, ...]:
    teams = [t.team for t in standing.teams.values() if isinstance(may_write_team(standing, t.team.id), Allowed)]
    return tuple(sorted(teams, key=lambda t: (t.space == "*", t.name)))
