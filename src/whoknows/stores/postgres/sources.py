"""The sources gateway: what is registered, and the index of its documents."""

from collections.abc import Mapping, Sequence
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import State
from whoknows.domain.source import LocationKind, Source, SourceId, SourceLocation
from whoknows.policy.standing import ReadScope
from whoknows.ports import Indexed, IndexedFile, IndexedPiece, Lapse, Page
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import halfvecs, place, scoped, terms
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("sources")


class PostgresSources:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def named(self, scope: ReadScope, name: str) -> Source | None:
        return await self._one("named", scoped(scope) | {"name": name})

    async def under(self, scope: ReadScope, path: str) -> Source | None:
        return await self._one("under", scoped(scope) | {"path": path})

    async def get(self, source: SourceId) -> Source | None:
        return await self._one("by_id", {"id": source})

    async def all(self) -> Sequence[Source]:
        query: LiteralString = f"{_SQL['select']} {_SQL['all']}"
        return [_source(r) for r in await self._sql.all(query)]

    async def may_change(self, owner: PrincipalId) -> bool:
        return await self._done("may", {"owner": owner})

    async def may_register(self, owner: PrincipalId) -> bool:
        return await self._done("may_register", {"owner": owner})

    async def register(self, source: SourceId, name: str, location: SourceLocation, owner: PrincipalId) -> None:
        params = {"id": source, "name": name, "kind": str(location.kind), "locator": location.locator, "owner": owner}
        await self._sql.one(_SQL["register"], params)

    async def begin(self, source: SourceId, lease: UUID, seconds: float) -> bool:
        return await self._done("begin", {"id": source, "lease": lease, "seconds": seconds})

    async def renew(self, source: SourceId, lease: UUID, seconds: float) -> bool:
        return await self._done("renew", {"id": source, "lease": lease, "seconds": seconds})

    async def finish(self, source: SourceId, lease: UUID, revision: str | None) -> bool:
        return await self._done("finish", {"id": source, "lease": lease, "revision": revision})

    async def indexed(self, source: SourceId) -> Sequence[IndexedFile]:
        found = await self._sql.all(_SQL["indexed"], {"id": source})
        return [IndexedFile(r["path"], r["blob"], r["form"]) for r in found]

    async def documents(self, scope: ReadScope, source: SourceId, limit: int, cursor: str | None) -> Page[Indexed]:
        params = scoped(scope) | {"source": source, "after": place(cursor), "limit": limit + 1}
        found = await self._sql.all(_SQL["documents"], params)
        items = [
            Indexed(r["path"], MemoryId(r["memory_id"]), r["title"], State(r["state"]), r["sections"]) for r in found[:limit]
        ]
        return Page(items, str(items[-1].memory) if len(found) > limit else None)

    async def known_pieces(self, source: SourceId, path: str) -> Mapping[str, str]:
        found = await self._sql.all(_SQL["pieces"], {"id": source, "path": path})
        return {r["anchor"]: r["digest"] for r in found}

    async def move(self, source: SourceId, lease: UUID, path: str, to: str) -> None:
        await self._sql.one(_SQL["move"], {"id": source, "lease": lease, "path": path, "to": to})

    async def write(self, source: SourceId, lease: UUID, file: IndexedFile, pieces: Sequence[IndexedPiece]) -> None:
        where = {"id": source, "lease": lease, "path": file.path, "blob": file.blob, "form": file.form}
        for piece in pieces:  # the head first: the sections name it
            await self._sql.one(_SQL["put"], where | _piece(piece))
        keep = [p.anchor for p in pieces]
        await self._sql.one(_SQL["drop"], {"id": source, "lease": lease, "paths": [file.path], "keep": keep})

    async def drop(self, source: SourceId, lease: UUID, paths: Sequence[str]) -> None:
        await self._sql.one(_SQL["drop"], {"id": source, "lease": lease, "paths": list(paths), "keep": None})

    async def settle(self, source: SourceId, lease: UUID, lapses: Sequence[Lapse]) -> None:
        params = {
            "id": source,
            "lease": lease,
            "paths": [lapse.path for lapse in lapses],
            "bys": [lapse.by for lapse in lapses],
            "reasons": [lapse.reason for lapse in lapses],
        }
        await self._sql.one(_SQL["settle"], params)

    async def clear(self, source: SourceId, most: int) -> int:
        row = await self._sql.one(_SQL["clear"], {"id": source, "most": most})
        return 0 if row is None else row["n"]

    async def remove(self, source: SourceId) -> None:
        await self._sql.one(_SQL["remove"], {"id": source})

    async def _one(self, block: str, params: Params) -> Source | None:
        query: LiteralString = f"{_SQL['select']} {_SQL[block]}"
        row = await self._sql.one(query, params)
        return None if row is None else _source(row)

    async def _done(self, block: str, params: Params) -> bool:
        row = await self._sql.one(_SQL[block], params)
        return row is not None and row["done"]


def _source(row: rows.Row) -> Source:
    return Source(
        id=SourceId(row["source_id"]),
        name=row["name"],
        location=SourceLocation(LocationKind(row["kind"]), row["locator"]),
        audience=AudienceId(row["audience_id"]),
        owner=rows.principal(row["owner"]),
        revision=row["revision"],
        synced_at=row["synced_at"],
        created_at=row["created_at"],
        documents=row["documents"],
    )


def _piece(p: IndexedPiece) -> dict[str, Any]:
    index = p.index
    return {
        "anchor": p.anchor,
        "memory": p.memory,
        "title": p.title,
        "content": p.content,
        "category": p.category,
        "tags": list(p.tags),
        "hash": p.content_hash,
        "digest": p.digest,
        "line_start": p.line_start,
        "line_end": p.line_end,
        "cited": Jsonb([_cited(e) for e in p.evidence]),
        "dated": p.dated,
        "wide": index is not None and index.wide,
        **terms(index),
        "vectors": halfvecs(p.vectors),
        "pending": p.pending,
    }


def _cited(e: Evidence) -> dict[str, Any]:
    return {
        "locator": e.locator,
        "revision": e.revision,
        "quote": e.quote,
        "quote_hash": e.quote_hash,
        "quote_start": e.start,
        "quote_end": e.end,
    }
