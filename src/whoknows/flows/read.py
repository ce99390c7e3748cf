"""Read: get, list, and the history of what one may see."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory, State, Version
from whoknows.errors import NotFound
from whoknows.flows.destination import team_of
from whoknows.flows.limits import Limits, label
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Page, Store, Tx


@dataclass(frozen=True, slots=True)
class History:
    """``versions``: the texts one memory had. ``chain``: what it replaced and what replaced it, newest first."""

    versions: Sequence[Version]
    chain: Sequence[Memory]


@dataclass(frozen=True, slots=True)
class Read:
    store: Store
    limits: Limits

    async def get(self, caller: Caller, memory: MemoryId) -> Memory:
        async with self.store.read(caller) as tx:
            return await seen(tx, scope_for(await tx.directory.standing()), memory)

    async def list(self, caller: Caller, filters: Filters, limit: int, cursor: str | None) -> Page[Memory]:
        """Newest first; only current memories, unless ``filters.state`` names another state."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            return await tx.memories.page(scope, narrowed, min(limit, self.limits.page), cursor, scope_for(standing))

    async def history(self, caller: Caller, memory: MemoryId) -> History:
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            await seen(tx, scope, memory)
            return History(await tx.memories.history(scope, memory), await tx.memories.chain(scope, memory))


async def seen(tx: Tx, scope: ReadScope, memory: MemoryId) -> Memory:
    """A memory in scope; hidden and absent are the same NotFound, by the same statement."""
    found = await tx.memories.get(scope, memory)
    if found is None:
        raise NotFound("there is no such memory")
    return found


def narrowed_scope(standing: Standing, filters: Filters) -> tuple[ReadScope, Filters]:
    """The scope within a team, where one is named, and the filters with the current state as default."""
    for field in ("project_id", "session_id", "task_id", "team_id"):
        label(getattr(filters, field), 200, field)
    for tag in filters.tags:
        label(tag, 200, "tags")
    team = None if filters.team_id is None else team_of(standing, filters.team_id).team.id
    state = State.ACTIVE if filters.state is None else filters.state
    return scope_for(standing, team=team), replace(filters, state=state)
