"""The citations gateway: evidence is put through one function, which looks at what it can look at again."""

from collections.abc import Sequence
from typing import Any

from psycopg.types.json import Jsonb

from whoknows.domain.conversation import MessageId
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.policy.standing import ReadScope
from whoknows.ports import Citation, DueEvidence, Looked, Overheard, Quotable
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("citations")


class PostgresCitations:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def of(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[Citation]:
        params = scoped(scope) | {"ids": list(memories)}
        return [
            Citation(r["evidence_id"], MemoryId(r["memory_id"]), rows.evidence(r["evidence"], AudienceId(r["audience_id"])))
            for r in await self._sql.all(_SQL["of"], params)
        ]

    async def quotable(self, scope: ReadScope, memory: MemoryId) -> Quotable | None:
        row = await self._sql.one(_SQL["quotable"], scoped(scope) | {"id": memory})
        if row is None:
            return None
        return Quotable(row["content"], row["version"], AudienceId(row["audience_id"]), row["current"])

    async def cite(self, memory: MemoryId, evidence: Sequence[Evidence]) -> None:
        await cite(self._sql, [(memory, e) for e in evidence])

    async def covers(self, source: AudienceId, destination: AudienceId) -> bool:
        row = await self._sql.one(_SQL["covers"], {"source": source, "destination": destination})
        return row is not None and bool(row["covered"])

    async def overheard(self, message: MessageId) -> Overheard | None:
        row = await self._sql.one(_SQL["overheard"], {"id": message})
        return None if row is None else Overheard(row["said"])

    async def looked(self, looked: Sequence[Looked]) -> int:
        return await _kept(self._sql, "looked", looked)


async def cite(sql: Sql, evidence: Sequence[tuple[MemoryId, Evidence]]) -> None:
    """Evidence of the actor for memories that it wrote or joined."""
    if evidence:
        await sql.run(_SQL["cite"], {"items": Jsonb([_item(memory, e) for memory, e in evidence])})


async def due(sql: Sql, most: int) -> Sequence[DueEvidence]:
    return [
        DueEvidence(
            number=r["evidence_id"],
            quote=r["quote"],
            quote_hash=r["quote_hash"],
            locator=r["locator"],
            source_kind=r["source_kind"],
            root=None if r["root"] is None else SourceLocation(LocationKind(r["root_kind"]), r["root"]),
            revision=r["revision"],
        )
        for r in await sql.all(_SQL["due"], {"most": most})
    ]


async def mark(sql: Sql, looked: Sequence[Looked]) -> int:
    return await _kept(sql, "mark", looked)


async def _kept(sql: Sql, block: str, looked: Sequence[Looked]) -> int:
    kept = 0
    for one in looked:
        row = await sql.one(
            _SQL[block],
            {
                "number": one.number,
                "hash": one.quote_hash,
                "revision": one.revision,
                "stands": one.span is not None,
                "gone": one.gone,
                "start": None if one.span is None else one.span[0],
                "end": None if one.span is None else one.span[1],
            },
        )
        kept += row is not None and bool(row["done"])
    return kept


def _item(memory: MemoryId, e: Evidence) -> dict[str, Any]:
    return {
        "memory_id": str(memory),
        "audience": e.audience,
        "source_kind": str(e.source_kind),
        "locator": e.locator,
        "revision": e.revision,
        "quote": e.quote,
        "quote_start": e.start,
        "quote_end": e.end,
        "quote_hash": e.quote_hash,
        "verified": e.verified,
        "source_memory": str(e.source) if e.source is not None and e.source_kind == "memory" else None,
        "source_id": str(e.source) if e.source is not None and e.source_kind != "memory" else None,
    }
