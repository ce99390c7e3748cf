"""The workplaces gateway. Directories are found by a hash of machine and path: a path may be longer than an index takes."""

from collections.abc import Sequence
from hashlib import sha256

from whoknows.domain.harness import ConnectedProject, Placed, Program, Stage, StageChange, Workplace
from whoknows.policy.workplaces import Directory
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("workplaces")


class PostgresWorkplaces:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def all(self) -> Sequence[Workplace]:
        return [
            Workplace(Program(r["program"]), r["machine"], r["directory"], r["project_id"], r["registered_at"])
            for r in await self._sql.all(_SQL["all"])
        ]

    async def holding(
        self, program: Program | None, machine: str, directories: Sequence[Directory]
    ) -> Sequence[tuple[Program, Placed]]:
        params = {"places": [_place(machine, d) for d in directories], "program": None if program is None else str(program)}
        return [
            (Program(r["program"]), Placed(r["project_id"], r["directory"], Stage(r["stage"]), rows.maybe(r["team"])))
            for r in await self._sql.all(_SQL["holding"], params)
        ]

    async def register(self, program: Program, machine: str, directory: Directory, project: str, most: int) -> bool:
        params = {
            "place": _place(machine, directory),
            "program": str(program),
            "machine": machine,
            "directory": directory.text,
            "project": project,
            "most": most,
        }
        return _done(await self._sql.one(_SQL["register"], params))

    async def unregister(self, program: Program, machine: str, directory: Directory) -> bool:
        params = {"place": _place(machine, directory), "program": str(program)}
        return _done(await self._sql.one(_SQL["unregister"], params))

    async def connected(self, project: str) -> int:
        row = await self._sql.one(_SQL["connected"], {"project": project})
        return 0 if row is None else row["n"]

    async def projects(self, limit: int) -> Sequence[ConnectedProject]:
        return [
            ConnectedProject(r["project_id"], Stage(r["stage"]), r["since"], r["workplaces"], r["last"])
            for r in await self._sql.all(_SQL["projects"], {"limit": limit})
        ]

    async def changes(self, project: str, limit: int) -> Sequence[StageChange]:
        return [
            StageChange(
                r["project_id"], Stage(r["stage"]), Stage(r["before"]), rows.principal(r["changed_by"]), r["at"], r["reason"]
            )
            for r in await self._sql.all(_SQL["changes"], {"project": project, "limit": limit})
        ]

    async def set_stage(self, project: str, before: Stage, stage: Stage, reason: str | None) -> bool:
        params = {"project": project, "before": str(before), "stage": str(stage), "reason": reason}
        return _done(await self._sql.one(_SQL["set_stage"], params))


def _place(machine: str, directory: Directory) -> bytes:
    return sha256(f"{machine}\0{directory.key}".encode()).digest()


def _done(row: rows.Row | None) -> bool:
    return row is not None and row["done"]
