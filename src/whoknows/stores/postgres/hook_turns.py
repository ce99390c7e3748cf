"""The gateway of hook turns, and of the exchanges that wait to be distilled."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.harness import HookEvent, HookTurn, NotedTurn, Outcome, Program, Stage
from whoknows.domain.hook_exchange import ClaimedExchange, Given
from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId, TenantId
from whoknows.domain.principal import Kind, Principal
from whoknows.errors import Invalid
from whoknows.policy.standing import ReadScope
from whoknows.ports import Page, TurnName
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import scoped, uuid_or_none
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("hook_turns")


class PostgresHookTurns:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def of_session(self, program: Program, session: str, limit: int) -> Sequence[Given]:
        params = {"program": str(program), "session": session, "limit": limit}
        return [
            Given(
                HookEvent(r["event"]),
                r["turn_id"],
                tuple(MemoryId(m) for m in r["memories"]),
                r["at"],
                Outcome(r["outcome"]),
                r["reason"],
            )
            for r in await self._sql.all(_SQL["of_session"], params)
        ]

    async def newest(self, scope: ReadScope, project: str, limit: int, cursor: str | None) -> Page[NotedTurn]:
        at, number = (None, None) if cursor is None else await self._position(project, cursor)
        params = scoped(scope) | {"project": project, "limit": limit + 1, "at": at, "number": number}
        found = await self._sql.all(_SQL["newest"], params)
        items = [NotedTurn(_turn(r), rows.principal(r["by"]), r["traced"]) for r in found[:limit]]
        return Page(items, str(items[-1].turn.id) if len(found) > limit else None)

    async def _position(self, project: str, cursor: str) -> tuple[datetime, int]:
        row = await self._sql.one(_SQL["position"], {"project": project, "id": uuid_or_none(cursor)})
        if row is None:
            raise Invalid("this is no cursor of these turns", field="cursor")
        return row["at"], row["turn_no"]

    async def important(self, scope: ReadScope, project: str, each: int) -> Sequence[MemoryId]:
        found = await self._sql.all(_SQL["important"], scoped(scope) | {"project": project, "each": each})
        return [MemoryId(r["memory_id"]) for r in found]

    async def note(self, turn: HookTurn) -> bool:
        row = await self._sql.one(_SQL["note"], {"turn": Jsonb(_noted(turn))})
        return row is not None and row["done"]

    async def keep_prompt(self, turn: TurnName, project: str, prompt: str, most: int) -> None:
        await self._sql.run(_SQL["keep_prompt"], _named(turn) | {"project": project, "prompt": prompt, "most": most})

    async def keep_answer(self, turn: TurnName, project: str, answer: str) -> None:
        await self._sql.run(_SQL["keep_answer"], _named(turn) | {"project": project, "answer": answer})

    async def waiting(self, program: Program, session: str) -> str | None:
        row = await self._sql.one(_SQL["waiting"], {"program": str(program), "session": session})
        return None if row is None else row["turn"]

    async def settle(self, exchange: UUID, claim: UUID) -> bool:
        row = await self._sql.one(_SQL["settle"], {"exchange": exchange, "claim": claim})
        return row is not None and row["done"]


class PostgresHookJobs:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def claim(
        self, lease: timedelta, most: int, tries: int, after: PrincipalId | None = None
    ) -> Sequence[ClaimedExchange]:
        params = {"lease": lease, "most": most, "tries": tries, "after": after or 0}
        found = await self._sql.all(_SQL["claim"], params)
        return [
            ClaimedExchange(
                id=r["exchange_id"],
                claim=r["claim"],
                tenant=TenantId(r["tenant_id"]),
                owner=PrincipalId(r["owner_id"]),
                credential=CredentialId(r["credential_id"]),
                program=Program(r["program"]),
                session_id=r["session_id"],
                turn_id=r["turn_id"],
                project_id=r["project_id"],
                prompt=r["prompt"],
                answer=r["answer"],
                asked_by=Principal(PrincipalId(r["principal_id"]), Kind(r["kind"]), r["name"]),
            )
            for r in found
        ]

    async def renew(self, exchanges: Sequence[ClaimedExchange], lease: timedelta) -> None:
        await self._sql.run(_SQL["renew"], {"claims": [e.claim for e in exchanges], "lease": lease})

    async def put_off(self, exchange: ClaimedExchange, fault: str, for_good: bool) -> None:
        params = {"exchange": exchange.id, "claim": exchange.claim, "fault": fault, "for_good": for_good}
        await self._sql.run(_SQL["put_off"], params)


def _named(turn: TurnName) -> Params:
    return {"program": str(turn.program), "session": turn.session_id, "turn": turn.turn_id}


def _turn(row: rows.Row) -> HookTurn:
    return HookTurn(
        id=row["id"],
        program=Program(row["program"]),
        session_id=row["session_id"],
        turn_id=row["turn_id"],
        project_id=row["project_id"],
        stage=Stage(row["stage"]),
        event=HookEvent(row["event"]),
        outcome=Outcome(row["outcome"]),
        at=row["at"],
        took_ms=row["took_ms"],
        reason=row["reason"],
        memories=tuple(MemoryId(m) for m in row["memories"]),
        characters=row["characters"],
        tokens=row["tokens"],
        top_score=row["top_score"],
        lowest_score=row["lowest_score"],
    )


def _noted(turn: HookTurn) -> dict[str, object]:
    return {
        "id": str(turn.id),
        "program": str(turn.program),
        "session_id": turn.session_id,
        "turn_id": turn.turn_id,
        "project_id": turn.project_id,
        "stage": str(turn.stage),
        "event": str(turn.event),
        "outcome": str(turn.outcome),
        "reason": turn.reason,
        "memories": [str(m) for m in turn.memories],
        "characters": turn.characters,
        "tokens": turn.tokens,
        "top_score": turn.top_score,
        "lowest_score": turn.lowest_score,
        "took_ms": turn.took_ms,
    }
