"""The conversations gateway: exchanges of one account, begun before a model is asked and ended with its answer."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import (
    Conversation,
    ConversationId,
    Counts,
    DistillationStage,
    Exchange,
    ExchangeState,
    MessageId,
    Source,
)
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, TraceId
from whoknows.domain.trace import Trace
from whoknows.ports import Page
from whoknows.ports.conversations import Ending, NewExchange
from whoknows.stores.postgres.parameters import place
from whoknows.stores.postgres.records import ADD_TRACE, trace_params
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("conversations")


class PostgresConversations:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def page(self, project_id: str | None, limit: int, cursor: str | None) -> Page[Conversation]:
        params = {"project": project_id, "before": place(cursor), "limit": limit + 1}
        found = await self._sql.all(_SQL["page"], params)
        return Page([_conversation(r) for r in found[:limit]], str(found[limit - 1]["latest"]) if len(found) > limit else None)

    async def projects(self, limit: int) -> Sequence[str]:
        return [r["project_id"] for r in await self._sql.all(_SQL["projects"], {"limit": limit})]

    async def counts(self, conversation: ConversationId) -> Counts:
        row = await self._sql.one(_SQL["counts"], {"id": conversation})
        return Counts(0, 0, 0) if row is None else Counts(row["messages"], row["by_model"], row["by_evidence"])

    async def get(self, conversation: ConversationId) -> Conversation | None:
        row = await self._sql.one(_SQL["get"], {"id": conversation})
        return None if row is None else _conversation(row)

    async def exchanges(self, conversation: ConversationId, limit: int, cursor: str | None) -> Page[Exchange]:
        query: LiteralString = f"{_SQL['select']} {_SQL['older']}"
        params = {"id": conversation, "before": place(cursor), "limit": limit + 1}
        found = await self._sql.all(query, params)
        newest = [_exchange(r) for r in found[:limit]]
        return Page(newest[::-1], str(newest[-1].message_id) if len(found) > limit else None)

    async def exchange(self, conversation: ConversationId, message: MessageId) -> Exchange | None:
        query: LiteralString = f"{_SQL['select']} {_SQL['one']}"
        row = await self._sql.one(query, {"id": conversation, "message": message})
        return None if row is None else _exchange(row)

    async def spoken(self, conversation: ConversationId, limit: int) -> Sequence[Exchange]:
        query: LiteralString = f"{_SQL['select']} {_SQL['spoken']}"
        found = await self._sql.all(query, {"id": conversation, "limit": limit})
        return [_exchange(r) for r in found][::-1]

    async def begin(self, exchange: NewExchange, lease: timedelta) -> bool:
        return await self._done(
            "begin",
            {
                "conversation": exchange.conversation,
                "project": exchange.project_id,
                "title": exchange.title,
                "message_id": exchange.message_id,
                "answer_id": exchange.answer_id,
                "message": exchange.message,
                "again": exchange.again,
                "lease": lease,
            },
        )

    async def renew(self, answer: MessageId, lease: timedelta) -> bool:
        return await self._done("renew", {"answer_id": answer, "lease": lease})

    async def finish(self, caller: Caller, answer: MessageId, ending: Ending, trace: Trace) -> bool:
        params: Params = {
            "answer_id": answer,
            "fault": ending.fault,
            "answer": ending.answer,
            "mode": ending.mode,
            "model": ending.model,
            "effort": ending.effort,
            "sources": Jsonb([{"id": str(s.memory), "score": s.score} for s in ending.sources]),
            "trace": trace.id,
            "earlier": list(ending.earlier),
        }
        if not await self._done("finish", params):
            return False
        await self._sql.run(ADD_TRACE, trace_params(trace, caller))
        return True

    async def forget(self, conversation: ConversationId) -> bool:
        return await self._done("forget", {"id": conversation})

    async def _done(self, block: str, params: Params) -> bool:
        row = await self._sql.one(_SQL[block], params)
        return row is not None and row["done"]


def _conversation(row: dict[str, Any]) -> Conversation:
    return Conversation(
        id=ConversationId(row["conversation_id"]),
        project_id=row["project_id"],
        title=row["title"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )


def _exchange(row: dict[str, Any]) -> Exchange:
    return Exchange(
        message_id=MessageId(row["message_id"]),
        answer_id=MessageId(row["answer_id"]),
        message=row["message"],
        state=ExchangeState(row["state"]),
        fault=row["fault"],
        asked_at=row["asked_at"],
        answer=row["answer"],
        mode=None if row["mode"] is None else AnswerMode(row["mode"]),
        model=row["model"],
        effort=row["effort"],
        trace=None if row["trace_id"] is None else TraceId(row["trace_id"]),
        sources=tuple(Source(MemoryId(UUID(s["id"])), s["score"]) for s in row["sources"]),
        answered_at=row["answered_at"],
        distillation=None if row["distillation"] is None else DistillationStage(row["distillation"]),
        answer_gone=row["answer_gone"],
    )
