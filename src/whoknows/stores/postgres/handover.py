"""The handover gateway: tasks with their tokens, and injected copies."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId
from whoknows.domain.injection import Basis, Injection
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.task import Task
from whoknows.errors import Forbidden
from whoknows.policy.standing import ReadScope
from whoknows.ports import Page
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import place, scoped
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("handover")


class PostgresHandover:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def ancestors(self, agent: PrincipalId) -> Sequence[PrincipalId]:
        return [PrincipalId(r["parent_id"]) for r in await self._sql.all(_SQL["ancestors"], {"agent": agent})]

    async def open_task(
        self,
        name: str,
        agents: Sequence[PrincipalId],
        keys: Sequence[CredentialId],
        secret_hashes: Sequence[bytes],
        expires_at: datetime | None,
    ) -> int:
        params = {
            "name": name, "agents": list(agents), "keys": list(keys), "hashes": list(secret_hashes), "expires_at": expires_at,
        }  # fmt: skip
        row = await self._sql.one(_SQL["open_task"], params)
        assert row is not None
        return row["task_no"]

    async def close_task(self, task: int) -> tuple[int, int] | None:
        row = await self._sql.one(_SQL["close_task"], {"task": task})
        return None if row is None or row["tokens"] is None else (row["tokens"], row["copies"])

    async def tasks(self, name: str | None = None) -> Sequence[Task]:
        return [
            Task(
                number=r["task_no"],
                name=r["name"],
                opened_by=rows.principal(r["opened_by"]),
                agents=tuple(rows.principal(a) for a in r["agents"]),
                opened_at=r["opened_at"],
                expires_at=r["expires_at"],
                closed_at=r["closed_at"],
            )
            for r in await self._sql.all(_SQL["tasks"], {"name": name})
        ]

    async def passable(self, scope: ReadScope, copies: Sequence[MemoryId]) -> frozenset[MemoryId]:
        found = await self._sql.all(_SQL["passable"], scoped(scope) | {"ids": list(copies)})
        return frozenset(MemoryId(r["memory_id"]) for r in found)

    async def give(
        self,
        injection: UUID,
        copy: MemoryId,
        target: PrincipalId,
        original: MemoryId,
        listed: bool,
        task: int | None,
        may_pass_on: bool,
        expires_at: datetime | None,
        project_id: str | None,
    ) -> tuple[MemoryId, datetime]:
        params = {
            "injection": injection, "copy": copy, "target": target, "original": original, "listed": listed, "task": task,
            "may_pass_on": may_pass_on, "expires_at": expires_at, "project_id": project_id,
        }  # fmt: skip
        row = await self._sql.one(_SQL["give"], params)
        if row is None:
            raise Forbidden(reason_code="not_yours_to_give")
        return MemoryId(row["given"]), row["at"]

    async def injections(self, scope: ReadScope, given: bool | None, limit: int, cursor: str | None) -> Page[Injection]:
        found = await self._found(scope, given, None, place(cursor), limit + 1)
        return Page(found[:limit], str(found[limit - 1].id) if len(found) > limit else None)

    async def given_of(self, scope: ReadScope, originals: Sequence[MemoryId]) -> Sequence[Injection]:
        found = await self._sql.all(_SQL["given_of"], {"originals": list(originals)})
        ids = [r["injection_id"] for r in found]
        return list(reversed(await self._found(scope, True, None, None, len(ids), ids))) if ids else []

    async def given_to(self, scope: ReadScope) -> Sequence[Principal]:
        found = await self._sql.all(_SQL["given_to"], scoped(scope))
        return [Principal(PrincipalId(r["principal_id"]), Kind(r["kind"]), r["name"]) for r in found]

    async def injection(self, scope: ReadScope, injection: UUID) -> Injection | None:
        found = await self._found(scope, None, injection, None, 1)
        return found[0] if found else None

    async def withdraw(self, injection: UUID) -> bool:
        row = await self._sql.one(_SQL["withdraw"], {"id": injection})
        return row is not None and row["done"]

    async def _found(
        self,
        scope: ReadScope,
        given: bool | None,
        one: UUID | None,
        before: UUID | None,
        limit: int,
        these: Sequence[UUID] | None = None,
    ) -> list[Injection]:
        params = scoped(scope) | {"given": given, "id": one, "these": these, "before": before, "limit": limit}
        return [_injection(r) for r in await self._sql.all(_SQL["injections"], params)]


def _injection(row: rows.Row) -> Injection:
    return Injection(
        id=row["injection_id"],
        giver=rows.principal(row["giver"]),
        target=rows.principal(row["target"]),
        memory=MemoryId(row["memory_id"]),
        original=None if row["original_id"] is None else MemoryId(row["original_id"]),
        origin_changed=row["changed"],
        basis=Basis(row["basis"]),
        task_id=row["task_id"],
        may_pass_on=row["may_pass_on"],
        created_at=row["created_at"],
        expires_at=row["expires_at"],
        ended_at=row["ended_at"],
        ended_why=row["ended_why"],
    )
