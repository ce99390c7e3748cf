"""The distillations gateway: batches of one account, and what they may be about."""

from collections.abc import Sequence
from typing import Any, LiteralString
from uuid import UUID

from pgvector import HalfVector
from psycopg.types.json import Jsonb

from whoknows.domain.conversation import ConversationId, MessageId
from whoknows.domain.distillation import (
    BatchId,
    Became,
    Distillation,
    Distilling,
    HeardMessage,
    KeptFact,
    NewDistillation,
    Place,
    Undone,
)
from whoknows.domain.distilled import Known, Reach
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category
from whoknows.policy.standing import ReadScope
from whoknows.ports import Page, Vector
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import place, scoped
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("distillations")


class PostgresDistillations:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def begin(self, new: NewDistillation) -> None:
        params = {"batch": new.id, "project": new.project_id, "conversation": new.conversation, "by_model": new.by_model}
        await self._sql.run(_SQL["begin"], params)

    async def heard(self, words: Sequence[bytes]) -> frozenset[bytes]:
        return frozenset(bytes(r["words"]) for r in await self._sql.all(_SQL["heard"], {"words": list(words)}))

    async def followed(self, pairs: Sequence[bytes]) -> frozenset[bytes]:
        return frozenset(bytes(r["pair"]) for r in await self._sql.all(_SQL["followed"], {"pairs": list(pairs)}))

    async def last(self, project: str) -> Place | None:
        row = await self._sql.one(_SQL["last"], {"project": project})
        return None if row is None else Place(None if row["tail"] is None else bytes(row["tail"]), row["stirred"])

    async def known(self, scope: ReadScope, project: str | None, vector: Vector | None, limit: int) -> Sequence[Known]:
        params = scoped(scope) | {
            "project": project,
            "vector": None if vector is None else HalfVector(list(vector)),
            "limit": limit,
        }
        found = await self._sql.all(_SQL["known"], params)
        return [
            Known(
                id=MemoryId(r["memory_id"]),
                text=r["content"],
                memory_type=Category(r["category"]),
                scope=Reach.GLOBAL if r["project_id"] is None else Reach.PROJECT,
                project_id=r["project_id"],
                vector=None if r["embedding"] is None else r["embedding"].to_list(),
                recency=n,
            )
            for n, r in enumerate(found)
        ]

    async def record(self, batch: BatchId, messages: Sequence[HeardMessage], facts: Sequence[KeptFact]) -> None:
        heard = [
            {
                "ordinal": n,
                "message_id": m.message_id,
                "words": m.words.hex(),
                "skipped": m.skipped,
                "pair": None if m.pair is None else m.pair.hex(),
                "tail": None if m.place.tail is None else m.place.tail.hex(),
                "stirred": m.place.stirred,
            }
            for n, m in enumerate(messages)
        ]
        kept = [
            {
                "ordinal": n,
                "message_id": f.message_id,
                "memory_id": str(f.memory),
                "outcome": f.became,
                "quote_hash": f.quote_hash,
            }
            for n, f in enumerate(facts)
        ]
        await self._sql.run(_SQL["record"], {"batch": batch, "messages": Jsonb(heard), "facts": Jsonb(kept)})

    async def page(self, limit: int, cursor: str | None) -> Page[Distillation]:
        query: LiteralString = f"{_SQL['select']} {_SQL['newest']}"
        found = await self._sql.all(query, {"before": place(cursor), "limit": limit + 1})
        items = [_distillation(r) for r in found[:limit]]
        return Page(items, str(items[-1].id) if len(found) > limit else None)

    async def get(self, batch: BatchId) -> Distillation | None:
        query: LiteralString = f"{_SQL['select']} {_SQL['one']}"
        row = await self._sql.one(query, {"batch": batch})
        return None if row is None else _distillation(row)

    async def messages(self, batch: BatchId) -> Sequence[HeardMessage]:
        found = await self._sql.all(_SQL["messages"], {"batch": batch})
        return [HeardMessage(r["message_id"], bytes(r["words"]), r["skipped"]) for r in found]

    async def facts(self, batch: BatchId) -> Sequence[KeptFact]:
        return [_fact(r) for r in await self._sql.all(_SQL["facts"], {"batch": batch})]

    async def of_messages(self, messages: Sequence[MessageId]) -> Sequence[KeptFact]:
        return [_fact(r) for r in await self._sql.all(_SQL["of_messages"], {"messages": [str(m) for m in messages]})]

    async def undo(self, batch: BatchId) -> Undone | None:
        row = await self._sql.one(_SQL["undo"], {"batch": batch})
        return None if row is None or row["deleted"] is None else Undone(row["deleted"], row["restored"], row["released"])

    async def distilling(self, project: str | None) -> Distilling:
        said = {r["project_id"]: r["automatic"] for r in await self._sql.all(_SQL["settings"], {"project": project})}
        return Distilling(said.get(None), None if project is None else said.get(project))

    async def set_distilling(self, project: str | None, automatic: bool | None) -> None:
        await self._sql.run(_SQL["set"], {"project": project, "automatic": automatic})

    async def mute(self, message: MessageId) -> None:
        await self._sql.run(_SQL["mute"], {"message": message})

    async def settle(self, message: MessageId, claim: UUID, heard: str | None) -> bool:
        row = await self._sql.one(_SQL["settle"], {"message": message, "claim": claim, "heard": heard})
        return row is not None and row["done"]


def _distillation(row: dict[str, Any]) -> Distillation:
    return Distillation(
        id=BatchId(row["batch_id"]),
        project_id=row["project_id"],
        made_by=rows.principal(row["made_by"]),
        conversation=None if row["conversation_id"] is None else ConversationId(row["conversation_id"]),
        by_model=row["by_model"],
        at=row["at"],
        undone_at=row["undone_at"],
        heard=row["heard"],
        kept=row["kept"],
    )


def _fact(row: dict[str, Any]) -> KeptFact:
    return KeptFact(row["message_id"], MemoryId(row["memory_id"]), Became(row["outcome"]), row["quote_hash"])
