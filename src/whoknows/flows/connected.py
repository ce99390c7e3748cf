"""Connected: the projects that the programs of an account work for, and how far each is connected."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.harness import ConnectedProject
from whoknows.domain.principal import Principal
from whoknows.policy.workplaces import workplace_owner
from whoknows.ports import Store

MOST_PROJECTS = 1_000
"""As many as there may be workplaces."""


@dataclass(frozen=True, slots=True)
class Connections:
    """``owner``: whose they are; None for a sub-agent and for work on a task, which have none."""

    owner: Principal | None
    projects: Sequence[ConnectedProject]


@dataclass(frozen=True, slots=True)
class Connected:
    store: Store

    async def __call__(self, caller: Caller) -> Connections:
        """By name: those with a workplace, and those whose stage was ever changed."""
        async with self.store.read(caller) as tx:
            owner = workplace_owner(await tx.directory.standing())
            return Connections(owner, await tx.workplaces.projects(MOST_PROJECTS))
