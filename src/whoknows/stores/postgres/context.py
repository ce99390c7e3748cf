"""The context gateway: candidates and cards within a scope, and what was used last."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from whoknows.domain.audience import Layer
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import Category
from whoknows.policy.standing import ReadScope
from whoknows.ports import ContextCard, Pooled
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("context")


class PostgresContext:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def recent(self, scope: ReadScope, project: str, readers: Sequence[PrincipalId], limit: int) -> Sequence[Pooled]:
        return await self._pooled(_SQL["recent"], scope, {"project": project, "readers": list(readers), "limit": limit})

    async def tagged(self, scope: ReadScope, project: str, words: str, limit: int) -> Sequence[Pooled]:
        return await self._pooled(_SQL["tagged"], scope, {"project": project, "words": words, "limit": limit})

    async def newest(self, scope: ReadScope, project: str, general: bool, limit: int) -> Sequence[Pooled]:
        return await self._pooled(_SQL["newest"], scope, {"project": project, "general": general, "limit": limit})

    async def _pooled(self, query: LiteralString, scope: ReadScope, more: Params) -> Sequence[Pooled]:
        return [
            Pooled(
                MemoryId(r["memory_id"]),
                AudienceId(r["audience_id"]),
                r["project_id"],
                tuple(r["tags"]),
                r["last_used"],
            )
            for r in await self._sql.all(query, scoped(scope) | more)
        ]

    async def cards(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[ContextCard]:
        found = {r["memory_id"]: r for r in await self._sql.all(_SQL["cards"], scoped(scope) | {"ids": list(memories)})}
        return [_card(found[m]) for m in memories if m in found]

    async def last_used(
        self, scope: ReadScope, memories: Sequence[MemoryId], readers: Sequence[PrincipalId]
    ) -> dict[MemoryId, datetime]:
        params = scoped(scope) | {"ids": list(memories), "readers": list(readers)}
        return {MemoryId(r["memory_id"]): r["last_used"] for r in await self._sql.all(_SQL["last_used"], params)}

    async def use(self, memories: Sequence[MemoryId]) -> int:
        row = await self._sql.one(_SQL["use"], {"ids": list(memories)})
        return 0 if row is None else row["n"]


def _card(row: rows.Row) -> ContextCard:
    return ContextCard(
        id=MemoryId(row["memory_id"]),
        content=row["content"],
        title=row["title"],
        category=Category(row["category"]),
        layer=Layer(row["layer"]),
        author=rows.principal(row["author"]),
        owner=rows.principal(row["owner"]),
        locator=row["locator"],
        updated_at=row["updated_at"],
    )
