"""The egress gateway: which banks forbid that their texts leave, and the count of what was sent."""

from collections.abc import Sequence
from typing import Any

from whoknows.domain.egress import EgressRule, Endpoint, ForbiddenBy, Purpose, Sent
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.principal import Kind, Principal
from whoknows.policy.standing import ReadScope
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("egress")
NOTE = _SQL["note"]


def note_params(endpoint: Endpoint, memories: Sequence[MemoryId], own: bool) -> Params:
    return {
        "purpose": str(endpoint.purpose),
        "host": endpoint.host,
        "model": endpoint.model,
        "ids": list(memories),
        "own": own,
    }


class PostgresEgress:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def forbidding(self) -> frozenset[PrincipalId]:
        return frozenset(PrincipalId(r["bank_id"]) for r in await self._sql.all(_SQL["forbidding"]))

    async def rules(self, owners: Sequence[PrincipalId]) -> Sequence[EgressRule]:
        return [_rule(r) for r in await self._sql.all(_SQL["rules"], {"ids": list(owners)})]

    async def forbid(self, bank: PrincipalId, forbidden: bool) -> None:
        await self._sql.run(_SQL["forbid"], {"bank": bank, "forbidden": forbidden})

    async def kept_back(self) -> int:
        row = await self._sql.one(_SQL["kept_back"])
        return 0 if row is None else row["n"]

    async def note(self, endpoint: Endpoint, memories: Sequence[MemoryId], own: bool = False) -> None:
        if memories or own:
            await self._sql.run(NOTE, note_params(endpoint, memories, own))

    async def sent(self, scope: ReadScope) -> Sequence[Sent]:
        return [
            Sent(
                PrincipalId(r["bank_id"]), Purpose(r["purpose"]), r["host"], r["model"], r["texts"], r["requests"], r["last_at"]
            )
            for r in await self._sql.all(_SQL["sent"], scoped(scope))
        ]


def _rule(row: dict[str, Any]) -> EgressRule:
    by = {ForbiddenBy.OWNER: row["by_owner"], ForbiddenBy.ADMINISTRATOR: row["by_administrator"]}
    owner = Principal(PrincipalId(row["principal_id"]), Kind(row["kind"]), row["name"])
    return EgressRule(owner, tuple(who for who, does in by.items() if does))
