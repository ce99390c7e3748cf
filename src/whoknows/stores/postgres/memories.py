"""The memories gateway: every read takes the scope first."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from pgvector import HalfVector

from whoknows.domain.audience import Audience, AudienceKey
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import Category, Filters, Memory, State, Version
from whoknows.errors import DuplicateMemory, StoreUnavailable
from whoknows.policy.standing import ReadScope
from whoknows.ports import DuplicateKey, Edit, NewMemory, Page, SubjectKey, Vector
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.citations import cite
from whoknows.stores.postgres.parameters import filtered, index_params, place, scoped
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("memories")


class PostgresMemories:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def get(self, scope: ReadScope, memory: MemoryId) -> Memory | None:
        found = await self.load(scope, [memory])
        return found[0] if found else None

    async def load(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[Memory]:
        query: LiteralString = f"{_SQL['select']} {_SQL['by_ids']}"
        found = {r["memory_id"]: r for r in await self._sql.all(query, scoped(scope) | {"ids": list(memories)})}
        return [rows.memory(found[m]) for m in memories if m in found]

    async def page(
        self, scope: ReadScope, filters: Filters, limit: int, cursor: str | None, whole: ReadScope | None = None
    ) -> Page[Memory]:
        params = scoped(scope) | filtered(filters) | {"before": place(cursor), "limit": limit + 1}
        newest = [MemoryId(r["memory_id"]) for r in await self._sql.all(_SQL["newest"], params)]
        items = await self.load(whole or scope, newest[:limit])
        return Page(items, str(newest[limit - 1]) if len(newest) > limit else None)

    async def projects(self, scope: ReadScope) -> Sequence[str]:
        return [r["project_id"] for r in await self._sql.all(_SQL["projects"], scoped(scope))]

    async def outline(self, scope: ReadScope, filters: Filters, every: int) -> tuple[int, Sequence[MemoryId]]:
        row = await self._sql.one(_SQL["outline"], scoped(scope) | filtered(filters) | {"every": every})
        return (0, ()) if row is None else (row["n"], [MemoryId(m) for m in row["marks"]])

    async def inhabited(self, scope: ReadScope, filters: Filters) -> Sequence[Audience]:
        found = await self._sql.all(_SQL["inhabited"], scoped(scope) | filtered(filters))
        return [rows.audience(r, r["task_id"], r["session_id"]) for r in found]

    async def history(self, scope: ReadScope, memory: MemoryId) -> Sequence[Version]:
        return [
            Version(
                memory_id=MemoryId(r["memory_id"]),
                version=r["version"],
                content=r["content"],
                title=r["title"],
                category=Category(r["category"]),
                tags=tuple(r["tags"]),
                state=State(r["state"]),
                changed_by=rows.principal(r["changed_by"]),
                changed_at=r["changed_at"],
                change=r["change"],
                reason=r["reason"],
            )
            for r in await self._sql.all(_SQL["history"], scoped(scope) | {"id": memory})
        ]

    async def chain(self, scope: ReadScope, memory: MemoryId) -> Sequence[Memory]:
        found = await self._sql.all(_SQL["chain"], scoped(scope) | {"id": memory})
        return await self.load(scope, [MemoryId(r["memory_id"]) for r in found])

    async def duplicates(self, scope: ReadScope, keys: Sequence[DuplicateKey]) -> dict[DuplicateKey, MemoryId]:
        params = scoped(scope) | {
            "in": sorted({k.audience for k in keys}),
            "keys": list({k.dedupe_key for k in keys}),
        }
        wanted = set(keys)
        found: dict[DuplicateKey, MemoryId] = {}
        for r in await self._sql.all(_SQL["duplicates"], params):
            key = DuplicateKey(
                AudienceId(r["audience_id"]),
                bytes(r["dedupe_key"]),
                None if r["dedupe_author"] is None else PrincipalId(r["dedupe_author"]),
                r["project_id"],
                r["session_id"],
                r["expires_at"],
            )
            if key in wanted:
                found[key] = MemoryId(r["memory_id"])
        return found

    async def current_on(self, scope: ReadScope, subject: SubjectKey) -> Sequence[Memory]:
        params = scoped(scope) | {
            "audience": subject.audience,
            "subject": subject.subject,
            "project_id": subject.project_id,
            "session_id": subject.session_id,
        }
        found = await self._sql.all(_SQL["current_on"], params)
        return await self.load(scope, [MemoryId(r["memory_id"]) for r in found])

    async def near(
        self, scope: ReadScope, audience: AudienceId, vector: Vector, newest: int, limit: int
    ) -> Sequence[tuple[MemoryId, float]]:
        asked = {"audience": audience, "vector": HalfVector(list(vector)), "newest": newest, "limit": limit, "rows": 4 * limit}
        params = scoped(scope) | asked
        return [(MemoryId(r["memory_id"]), r["similarity"]) for r in await self._sql.all(_SQL["near"], params)]

    async def deletable(self, scope: ReadScope, filters: Filters) -> Sequence[MemoryId]:
        found = await self._sql.all(_SQL["deletable"], scoped(scope) | filtered(filters))
        return [MemoryId(r["memory_id"]) for r in found]

    async def now(self) -> datetime:
        row = await self._sql.one(_SQL["now"])
        if row is None:
            raise StoreUnavailable
        return row["now"]

    async def audience(self, key: AudienceKey) -> AudienceId:
        params = {
            "layer": str(key.layer),
            "owner": key.owner,
            "readers": sorted(key.readers),
            "task": key.task,
            "session": key.session,
        }
        row = await self._sql.one(_SQL["audience"], params)
        if row is None:
            raise StoreUnavailable
        return AudienceId(row["audience_id"])

    async def add(self, memories: Sequence[NewMemory]) -> None:
        ordinals = await self._ordinals(memories)
        await self._sql.many(_SQL["insert"], [_insert(m) | {"ordinal": n} for m, n in zip(memories, ordinals, strict=True)])
        await self._authors([(m.id, m.audience, m.author) for m in memories])
        await cite(self._sql, [(m.id, e) for m in memories for e in m.evidence])
        await self._versions("captured", [(m.id, m.reason) for m in memories])
        await self._sql.many(_SQL["index"], [index_params(m.id, m.index, m.vectors, m.pending) for m in memories])

    async def _ordinals(self, memories: Sequence[NewMemory]) -> list[int]:
        given: Counter[tuple[int, int, str]] = Counter()
        ordinals: list[int] = []
        for m in memories:
            if m.session_id is None:
                ordinals.append(0)
                continue
            key = (m.audience, m.author, m.session_id)
            if key not in given:
                params = {"audience": m.audience, "author": m.author, "session": m.session_id}
                row = await self._sql.one(_SQL["ordinals"], params)
                given[key] = row["ordinal"] - 1 if row else 0
            given[key] += 1
            ordinals.append(given[key])
        return ordinals

    async def attribute(
        self, scope: ReadScope, memory: MemoryId, words: bytes, author: PrincipalId, evidence: Sequence[Evidence]
    ) -> None:
        row = await self._sql.one(_SQL["hold"], {"id": memory, "words": words})
        if row is None or row["audience_id"] not in scope.audiences:
            raise DuplicateMemory("the memory of the same words was changed at this very moment")
        audience = AudienceId(row["audience_id"])
        await self._authors([(memory, audience, author)])
        await cite(self._sql, [(memory, e) for e in evidence])

    async def _authors(self, authors: Sequence[tuple[MemoryId, AudienceId, PrincipalId]]) -> None:
        # All at once: a policy derives who is asking for each statement, not for each row.
        params = {"ids": [a[0] for a in authors], "audiences": [a[1] for a in authors], "authors": [a[2] for a in authors]}
        await self._sql.run(_SQL["insert_author"], params)

    async def _versions(self, change: str, reasons: Sequence[tuple[MemoryId, str | None]]) -> None:
        params = {"ids": [r[0] for r in reasons], "reasons": [r[1] for r in reasons], "change": change}
        await self._sql.run(_SQL["insert_version"], params)

    async def edit(self, scope: ReadScope, edit: Edit) -> bool:
        params = scoped(scope) | {
            "id": edit.id,
            "version": edit.version,
            "content": edit.content,
            "title": edit.title,
            "category": edit.category,
            "subject": edit.subject,
            "tags": list(edit.tags),
            "expires_at": edit.expires_at,
            "reason": edit.reason,
            "content_hash": edit.content_hash,
            "dedupe_key": edit.dedupe_key,
            "wide": edit.index.wide,
            "pending": edit.pending,
            "reindex": edit.reindex,
        }
        if await self._sql.run(_SQL["edit"], params) == 0:
            return False
        await self._versions("edited", [(edit.id, edit.reason)])
        if edit.reindex:
            await self._sql.run(_SQL["index"], index_params(edit.id, edit.index, edit.vectors, edit.pending))
        return True

    async def supersede(self, old: MemoryId, new: MemoryId, reason: str | None) -> bool:
        return await self._done("supersede", {"old": old, "new": new, "reason": reason})

    async def overturn(self, old: MemoryId, new: MemoryId, reason: str | None) -> bool:
        return await self._done("overturn", {"old": old, "new": new, "reason": reason})

    async def set_state(self, memory: MemoryId, state: str) -> bool:
        return await self._done("set_state", {"id": memory, "state": state})

    async def share(self, memory: MemoryId, reader: PrincipalId, given: bool) -> bool:
        return await self._done("share", {"id": memory, "reader": reader, "given": given})

    async def forget(self, memories: Sequence[MemoryId], version: int | None = None) -> tuple[int, int, int]:
        row = await self._sql.one(_SQL["forget"], {"ids": list(memories), "version": version})
        return (0, 0, 0) if row is None else (row["deleted"], row["released"], row["copied"])

    async def _done(self, block: str, params: Params) -> bool:
        row = await self._sql.one(_SQL[block], params)
        return row is not None and row["done"]


def _insert(m: NewMemory) -> dict[str, Any]:
    return {
        "id": m.id,
        "audience": m.audience,
        "author": m.author,
        "content": m.content,
        "title": m.title,
        "category": m.category,
        "subject": m.subject,
        "tags": list(m.tags),
        "isolation": m.isolation,
        "project_id": m.project_id,
        "session_id": m.session_id,
        "task_id": m.task_id,
        "state": m.state,
        "supersedes": m.supersedes,
        "reason": m.reason,
        "content_hash": m.content_hash,
        "dedupe_key": m.dedupe_key,
        "dedupe_author": m.dedupe_author,
        "expires_at": m.expires_at,
        "wide": m.index.wide,
        "batch": m.batch,
        "pending": m.pending,
        "part_of": m.part_of,
    }
