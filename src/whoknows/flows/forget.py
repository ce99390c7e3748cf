"""Forget: delete one memory, or all that the caller may delete of a layer. Nothing of the text remains."""

from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters
from whoknows.errors import VersionConflict
from whoknows.flows.must import must
from whoknows.flows.read import narrowed_scope, seen
from whoknows.policy.rules import may_change
from whoknows.policy.standing import scope_for
from whoknows.ports import Store


@dataclass(frozen=True, slots=True)
class Forgotten:
    """``deleted``: rows that are gone. ``released``: rows that stay because others wrote the same words (rules W7).

    ``copied``: what the caller had published or injected of them, which is gone as well (rules W9). Copies that others made
    went too, and are not counted here: nobody is told of them.
    """

    deleted: int
    released: int
    copied: int = 0


@dataclass(frozen=True, slots=True)
class Forget:
    store: Store

    async def __call__(self, caller: Caller, memory: MemoryId, version: int | None = None) -> Forgotten:
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            now = await seen(tx, scope_for(standing), memory)
            must(may_change(standing, now))
            if version is not None and version != now.version:
                raise VersionConflict(f"the present version is {now.version}, you delete {version}: read it again")
            gone = Forgotten(*await tx.memories.forget([memory], version))
            if version is not None and gone == Forgotten(0, 0):  # it was edited, or deleted, since it was looked at above
                raise VersionConflict
            return gone

    async def all_of(self, caller: Caller, filters: Filters) -> Forgotten:
        """All that the caller may delete there, whatever its state, in one transaction."""
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope, narrowed = narrowed_scope(standing, filters)
            every_state = replace(narrowed, state=filters.state)
            doomed = await tx.memories.deletable(scope, every_state)
            return Forgotten(*await tx.memories.forget(doomed)) if doomed else Forgotten(0, 0)
