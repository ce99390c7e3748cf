"""Looks: the colour and the shape that belong to a name everywhere."""

from collections.abc import Mapping
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.ports import Store


@dataclass(frozen=True, slots=True)
class Looks:
    store: Store

    async def __call__(self, caller: Caller) -> Mapping[str, int]:
        """Space (``agent:wukong``, ``*``) → 0 to 63, for whom the directory names to the caller and for nobody else."""
        async with self.store.read(caller) as tx:
            return await tx.directory.looks()
