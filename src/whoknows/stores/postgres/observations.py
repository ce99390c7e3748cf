"""The observations gateway: what several memories say, within the scope of a request."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.observation import Change, Gathered, Made, Observation, SourceNow, Statement
from whoknows.domain.principal import GateLevel, Principal
from whoknows.errors import StoreUnavailable
from whoknows.gate.cluster import NEAR
from whoknows.policy.standing import ReadScope
from whoknows.ports import Page
from whoknows.ports.observations import Put, Resting, Stating
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.memories import PostgresMemories
from whoknows.stores.postgres.parameters import halfvecs, place, scoped, terms
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("observations")


class PostgresDeriving:
    """Over ``blocks`` of the same names, with ``params`` in each: those of a scope, or none."""

    def __init__(self, sql: Sql, statements: Mapping[str, LiteralString], params: Params, put: str, again: str) -> None:
        self._sql = sql
        self._blocks = statements
        self._params = params
        self._put, self._again = put, again

    async def around(self, seed: MemoryId, most: int) -> Sequence[Statement]:
        return [statement(r) for r in await self._all("around", {"id": seed, "most": most, "least": NEAR})]

    async def statements(self, memories: Sequence[MemoryId]) -> Sequence[Statement]:
        found = {r["memory_id"]: statement(r) for r in await self._all("statements", {"ids": list(memories)})}
        return [found[m] for m in memories if m in found]

    async def resting_on(self, statements: Sequence[MemoryId]) -> dict[MemoryId, MemoryId]:
        found = await self._all("resting_on", {"ids": list(statements)})
        return {MemoryId(r["source_id"]): MemoryId(r["memory_id"]) for r in found}

    async def resting(self, observation: MemoryId) -> Resting | None:
        found = await self._all("resting", {"id": observation})
        if not found:
            return None
        (r,) = found
        return Resting(
            id=MemoryId(r["memory_id"]),
            version=r["version"],
            audience=AudienceId(r["audience_id"]),
            made=Made(r["made"]),
            gathered=Gathered(r["gathered"]),
            content=r["content"],
            stated=None if r["stated"] is None else MemoryId(r["stated"]),
            sources=[s for s in await self.statements(r["sources"]) if s.audience == r["audience_id"]],
            evidence=[(MemoryId(UUID(locator)), quote) for locator, quote in r["quotes"] or ()],
        )

    async def gate(self, audience: AudienceId) -> tuple[Principal, GateLevel]:
        (r,) = await self._all("gate", {"audience": audience})
        return rows.principal(r["owner"]), GateLevel(r["gate"])

    async def put(self, observation: MemoryId, stating: Stating, gathered: Gathered, own: bool) -> Put:
        more = {"id": observation, "audience": stating.sources[0].audience, "own": own, "gathered": str(gathered)}
        return await self._done(self._put, _stated(stating) | more)

    async def put_again(self, resting: Resting, stating: Stating) -> Put:
        return await self._done(self._again, _stated(stating) | {"id": resting.id, "version": resting.version})

    async def retire(self, resting: Resting) -> Put:
        return await self._done("retire", {"id": resting.id, "version": resting.version})

    async def _all(self, block: str, params: Params) -> list[rows.Row]:
        return await self._sql.all(self._blocks[block], self._params | params)

    async def _done(self, block: str, params: Params) -> Put:
        row = await self._sql.one(self._blocks[block], self._params | params)
        if row is None:
            raise StoreUnavailable
        return Put(row["done"])


class PostgresObservations:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def deriving(self, scope: ReadScope) -> PostgresDeriving:
        return PostgresDeriving(self._sql, _SQL, scoped(scope), "observe", "recompute")

    async def page(
        self,
        scope: ReadScope,
        project_id: str | None,
        owners: Sequence[int],
        stale: bool | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Observation]:
        params = scoped(scope) | {"project_id": project_id, "owners": list(owners), "stale": stale}
        found = await self._sql.all(_SQL["newest"], params | {"before": place(cursor), "limit": limit + 1})
        newest = [MemoryId(r["memory_id"]) for r in found]
        return Page(await self._load(scope, newest[:limit]), str(newest[limit - 1]) if len(newest) > limit else None)

    async def get(self, scope: ReadScope, observation: MemoryId) -> Observation | None:
        found = await self._load(scope, [observation])
        return found[0] if found else None

    async def of_exactly(self, scope: ReadScope, memories: Sequence[MemoryId], content_hash: str | None) -> MemoryId | None:
        ids = sorted(memories)
        row = await self._sql.one(_SQL["of_exactly"], scoped(scope) | {"first": ids[0], "ids": ids, "hash": content_hash})
        return None if row is None else MemoryId(row["memory_id"])

    async def seeds(
        self, scope: ReadScope, owners: Sequence[int], project_id: str | None, limit: int, cursor: str | None
    ) -> Page[MemoryId]:
        params = scoped(scope) | {"owners": list(owners), "project_id": project_id}
        found = await self._sql.all(_SQL["seeds"], params | {"before": place(cursor), "limit": limit + 1})
        ids = [MemoryId(r["memory_id"]) for r in found]
        return Page(ids[:limit], str(ids[limit - 1]) if len(ids) > limit else None)

    async def _load(self, scope: ReadScope, ids: Sequence[MemoryId]) -> list[Observation]:
        memories = {m.id: m for m in await PostgresMemories(self._sql).load(scope, ids)}
        query: LiteralString = f"{_SQL['select']} {_SQL['by_ids']}"
        found = {r["memory_id"]: r for r in await self._sql.all(query, scoped(scope) | {"ids": list(ids)})}
        return [
            Observation(
                memory=memories[i],
                made=Made(found[i]["made"]),
                gathered=Gathered(found[i]["gathered"]),
                computed_at=found[i]["computed_at"],
                sources=tuple(_source(s) for s in found[i]["sources"] or ()),
            )
            for i in ids
            if i in memories and i in found
        ]


def statement(r: rows.Row) -> Statement:
    return Statement(
        id=MemoryId(r["memory_id"]),
        audience=AudienceId(r["audience_id"]),
        project_id=r["project_id"],
        content=r["content"],
        title=r["title"],
        version=r["version"],
        content_hash=r["content_hash"],
        vector=tuple(r["vector"] or ()),
    )


def _source(of: list[Any]) -> SourceNow:
    memory, version, stated, changed = of
    return SourceNow(MemoryId(UUID(memory)), version, stated, None if changed is None else Change(changed))


def _stated(s: Stating) -> Params:
    words = s.words
    return {
        "sources": [m.id for m in s.sources],
        "hashes": [m.content_hash for m in s.sources],
        "stated": s.stated,
        "words": None if words is None else Jsonb(_words(s)),
        "cited": Jsonb(
            [
                {
                    "locator": e.locator,
                    "quote": e.quote,
                    "quote_start": e.start,
                    "quote_end": e.end,
                    "quote_hash": e.quote_hash,
                    "verified": e.verified,
                }
                for e in s.evidence
            ]
        ),
        **terms(None if words is None else words.index),
        "vectors": None if words is None else halfvecs(words.vectors),
        "pending": words is not None and words.pending,
        "state": "held" if s.held else "active",
        "made": str(s.made),
    }


def _words(s: Stating) -> dict[str, Any]:
    assert s.words is not None
    return {
        "content": s.words.content,
        "title": None,
        "content_hash": s.words.content_hash,
        "wide": s.words.index.wide,
    }
