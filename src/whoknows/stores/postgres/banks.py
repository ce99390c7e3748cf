"""The banks gateway: where projects go."""

from collections.abc import Sequence

from whoknows.domain.bank import Routing
from whoknows.domain.ids import PrincipalId
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("banks")


class PostgresBanks:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def routing(self, project: str) -> Routing:
        row = await self._sql.one(_SQL["routing"], {"project": project})
        return Routing(project) if row is None else _routing(row)

    async def routings(self) -> Sequence[Routing]:
        return [_routing(r) for r in await self._sql.all(_SQL["routings"])]

    async def holder(self, remotes: Sequence[str], project: str) -> tuple[str, str] | None:
        row = await self._sql.one(_SQL["holder"], {"remotes": list(remotes), "project": project})
        return None if row is None else (row["remote"], row["project_id"])

    async def route(self, project: str, team: PrincipalId | None, remotes: Sequence[str]) -> None:
        await self._sql.one(_SQL["route"], {"project": project, "team": team, "remotes": list(remotes)})


def _routing(row: rows.Row) -> Routing:
    return Routing(row["project_id"], rows.maybe(row["team"]), tuple(row["remotes"]))
