"""The observations gateway of the background work, as the jobs role."""

from collections.abc import Sequence
from datetime import timedelta

from whoknows.domain.ids import MemoryId
from whoknows.domain.observation import Gathered, Statement
from whoknows.stores.postgres.observations import PostgresDeriving
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("observation_jobs")


class PostgresObservationJobs(PostgresDeriving):
    def __init__(self, sql: Sql) -> None:
        super().__init__(sql, _SQL, {}, "put", "put_again")

    async def due(self, settled: timedelta, most: int) -> Sequence[MemoryId]:
        found = await self._all("due", {"settled": settled, "most": most})
        return [MemoryId(r["memory_id"]) for r in found]

    async def looked_at(self, memories: Sequence[MemoryId]) -> None:
        await self._sql.run(_SQL["looked_at"], {"ids": list(memories)})

    async def suspects(self, most: int) -> Sequence[MemoryId]:
        return [MemoryId(r["memory_id"]) for r in await self._all("suspects", {"most": most})]

    async def unsuspect(self, observation: MemoryId) -> None:
        await self._sql.run(_SQL["unsuspect"], {"id": observation})

    async def remakes(self, most: int) -> Sequence[tuple[MemoryId, Gathered, Sequence[Statement]]]:
        return [
            (
                MemoryId(r["observation_id"]),
                Gathered(r["gathered"]),
                await self.statements([MemoryId(s) for s in r["sources"]]),
            )
            for r in await self._all("remakes", {"most": most})
        ]

    async def remade(self, observation: MemoryId) -> None:
        await self._sql.run(_SQL["remade"], {"id": observation})
