"""Projects: the names of those that somebody knows of, by what it may read and where it has conversations."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.policy.standing import scope_for
from whoknows.ports import Store

MOST = 100
"""Names of those with conversations, at most: they are for choosing from, and any other can be written."""


@dataclass(frozen=True, slots=True)
class Projects:
    store: Store

    async def known(self, caller: Caller) -> tuple[str, ...]:
        """First those of the account's conversations, the latest first; then those of memories that the caller may read."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            of_memories = await tx.memories.projects(scope)
            return tuple(dict.fromkeys((*await tx.conversations.projects(MOST), *of_memories)))
