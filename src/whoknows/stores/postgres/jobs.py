"""The jobs gateway: completing accepted writes, and sweeping, as the jobs role."""

from collections.abc import Sequence

from pgvector import HalfVector

from whoknows.domain.ids import MemoryId
from whoknows.ports import PendingEmbedding, Vector
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("jobs")


class PostgresJobs:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def pending(self, memory: MemoryId) -> PendingEmbedding | None:
        row = await self._sql.one(_SQL["pending"], {"id": memory})
        return None if row is None else PendingEmbedding(memory, row["version"], row["title"], row["content"])

    async def requeue(self) -> int:
        row = await self._sql.one(_SQL["requeue"])
        return 0 if row is None else row["n"]

    async def complete(self, memory: MemoryId, version: int, vectors: Sequence[Vector]) -> bool:
        params = {"id": memory, "version": version, "vectors": [HalfVector(list(v)) for v in vectors]}
        row = await self._sql.one(_SQL["complete"], params)
        return row is not None and row["done"]

    async def failed(self, memory: MemoryId, fault: str) -> None:
        await self._sql.run(_SQL["failed"], {"id": memory, "fault": fault})

    async def sweep(self, most: int) -> int:
        row = await self._sql.one(_SQL["sweep"], {"most": most})
        return 0 if row is None else row["n"]

    async def sweep_tasks(self) -> int:
        row = await self._sql.one(_SQL["sweep_tasks"])
        return 0 if row is None else row["n"]

    async def sweep_old(self, keep_days: int) -> None:
        await self._sql.run(_SQL["sweep_traces"], {"days": keep_days})
        await self._sql.run(_SQL["sweep_events"], {"days": keep_days})
        await self._sql.run(_SQL["sweep_keys"])
        await self._sql.run(_SQL["sweep_handover"], {"days": keep_days})

    async def sweep_departed(self, grace_days: int) -> int:
        row = await self._sql.one(_SQL["sweep_departed"], {"days": grace_days})
        return 0 if row is None else row["n"]

    async def cached(self, key: str) -> Sequence[float] | None:
        row = await self._sql.one(_SQL["cached"], {"key": key})
        return None if row is None else row["value"]

    async def cache(self, key: str, value: Sequence[float]) -> None:
        await self._sql.run(_SQL["cache"], {"key": key, "value": list(value)})

    async def settle_publications(self, most: int) -> int:
        row = await self._sql.one(_SQL["settle_publications"], {"most": most})
        return 0 if row is None else row["n"]

    async def settle_events(self) -> None:
        await self._sql.run(_SQL["settle_events"])
        await self._sql.run(_SQL["settle_stage"])
