"""The records gateway: traces, events, audit, idempotency keys, and the caller's own pending work."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, PrincipalId, TenantId, TraceId
from whoknows.domain.trace import Asked, Scored, Space, Trace
from whoknows.errors import Concurrent, IdempotencyMismatch, Invalid
from whoknows.policy.standing import ReadScope
from whoknows.ports import AuditRow, EventRow, Page, Position
from whoknows.stores.postgres.parameters import scoped, uuid_or_none
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("records")
ADD_TRACE = _SQL["add_trace"]


def trace_params(trace: Trace, caller: Caller) -> Params:
    body = dict(trace.body) | {
        "searched": [[s.space, s.why] for s in trace.searched],
        "mode": trace.mode,
        "took_ms": trace.took_ms,
    }
    return {
        "tenant": caller.credential.tenant_id,
        "id": trace.id,
        "reader": caller.principal.id if caller.principal else None,
        "credential": caller.credential.id,
        "inspected": caller.principal not in caller.credential.acts_as,
        "question": trace.question,
        "body": Jsonb(body),
    }


class PostgresRecords:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def trace(self, scope: ReadScope, trace: TraceId) -> Trace | None:
        row = await self._sql.one(_SQL["trace"], scoped(scope) | {"id": trace})
        if row is None:
            return None
        body: dict[str, Any] = row["body"]
        return Trace(
            id=TraceId(row["trace_id"]),
            reader=f"{row['kind']}:{row['name']}",
            question=row["question"],
            asked_at=row["asked_at"],
            searched=tuple(Space(space, why) for space, why in body.pop("searched")),
            mode=body.pop("mode"),
            took_ms=body.pop("took_ms"),
            body=body,
        )

    async def newest_traces(self, scope: ReadScope, limit: int) -> Sequence[Asked]:
        found = await self._sql.all(_SQL["newest_traces"], scoped(scope) | {"limit": limit})
        return [
            Asked(
                TraceId(r["trace_id"]),
                r["question"],
                r["asked_at"],
                r["floor"] or 0.0,
                (*_scored(r["hits"], r["hit_scores"], True), *_scored(r["dropped"], r["dropped_scores"], False)),
            )
            for r in found
        ]

    async def visible(self, scope: ReadScope, memories: Sequence[MemoryId]) -> frozenset[MemoryId]:
        found = await self._sql.all(_SQL["visible"], scoped(scope) | {"ids": list(memories)})
        return frozenset(MemoryId(r["memory_id"]) for r in found)

    async def events_after(self, scope: ReadScope, position: Position, limit: int) -> Sequence[EventRow]:
        params = scoped(scope) | {"xid": str(position[0]), "number": position[1], "limit": limit}
        return [
            EventRow(r["event_id"], r["kind"], MemoryId(r["memory_id"]), r["at"], (r["xid"], r["event_no"]))
            for r in await self._sql.all(_SQL["events_after"], params)
        ]

    async def position(self, event: UUID | None) -> Position:
        if event is not None:
            row = await self._sql.one(_SQL["event_position"], {"event": event})
            if row is not None:
                return row["xid"], row["event_no"]
        row = await self._sql.one(_SQL["present_position"])
        return (row["xid"] if row else 0, 0)

    async def audit(self, limit: int, cursor: str | None) -> Page[AuditRow]:
        params = {"before": None if cursor is None else await self._audit_position(cursor), "limit": limit + 1}
        found = await self._sql.all(_SQL["audit"], params)
        items = [
            AuditRow(
                r["audit_id"], r["at"], r["credential_id"], r["principal"], r["action"], r["target"], r["concerns"], r["detail"]
            )
            for r in found[:limit]
        ]
        return Page(items, str(items[-1].id) if len(found) > limit else None)

    async def _audit_position(self, cursor: str) -> int:
        row = await self._sql.one(_SQL["audit_position"], {"id": uuid_or_none(cursor)})
        if row is None:
            raise Invalid("this is no cursor of the audit trail", field="cursor")
        return row["audit_no"]

    async def pending_embeddings(self) -> int:
        row = await self._sql.one(_SQL["pending_embeddings"])
        return 0 if row is None else row["n"]

    async def last_asked(self) -> datetime | None:
        row = await self._sql.one(_SQL["last_asked"])
        return None if row is None else row["at"]

    async def remembered(
        self, tenant: TenantId, principal: PrincipalId, route: str, key: str, body_hash: str
    ) -> dict[str, Any] | None:
        named = {"principal": principal, "route": route, "key": key}
        # A second request with the same key waits here until the first has committed or failed.
        if await self._sql.run(_SQL["claim_key"], named | {"tenant": tenant, "body_hash": body_hash}):
            return None
        row = await self._sql.one(_SQL["claimed"], named)
        if row is None or row["answer"] is None:
            raise Concurrent
        if row["body_hash"] != body_hash:
            raise IdempotencyMismatch
        return row["answer"]

    async def remember(self, principal: PrincipalId, route: str, key: str, answer: dict[str, Any]) -> None:
        params = {"principal": principal, "route": route, "key": key, "answer": Jsonb(answer)}
        await self._sql.run(_SQL["remember"], params)


def _scored(ids: list[UUID] | None, scores: list[float] | None, given: bool) -> list[Scored]:
    return [Scored(MemoryId(i), score, given) for i, score in zip(ids or (), scores or (), strict=True)]
