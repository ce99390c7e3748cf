"""The gateway of measures: two definer functions, which check who asks."""

from whoknows.domain.measured import Backlog, Built, Measured, TableSize
from whoknows.errors import PermissionMissing
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("measures")


class PostgresMeasures:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def built(self) -> Built:
        row = await self._sql.one(_SQL["built"])
        if row is None:
            raise PermissionMissing
        return Built(
            schema=row["schema"],
            server=row["server"],
            pgvector=row["pgvector"],
            embedder=row["embedder"],
            dimensions=row["dimensions"],
            founded_at=row["founded_at"],
        )

    async def measured(self, most: int) -> Measured:
        row = await self._sql.one(_SQL["database_size"])
        tables = await self._sql.all(_SQL["table_sizes"], {"most": most})
        backlogs = await self._sql.all(_SQL["backlogs"])
        return Measured(
            database=None if row is None else row["size"],
            tables=tuple(TableSize(t["name"], t["size"]) for t in tables),
            backlogs=tuple(Backlog(b["work"], b["waiting"], b["failed"], b["oldest"]) for b in backlogs),
        )
