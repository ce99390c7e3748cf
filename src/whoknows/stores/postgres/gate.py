"""The gate gateway: levels, subjects, what waits for a reviewer, and what did not go in."""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from whoknows.domain.evidence import EvidenceLevel
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.principal import GateLevel
from whoknows.errors import Finding, NotFound
from whoknows.policy.standing import ReadScope
from whoknows.ports import Admission, Edit, Failure, Page, SubjectKey
from whoknows.stores.postgres.parameters import index_params, place, scoped
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("gate")


class PostgresGate:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def level(self, owner: PrincipalId) -> GateLevel:
        row = await self._sql.one(_SQL["level"], {"owner": owner})
        if row is None:
            raise NotFound("that place is gone")
        return GateLevel(row["gate"])

    async def lock(self, subjects: Sequence[SubjectKey]) -> None:
        await self._sql.run(_SQL["lock"], {"keys": [_lock_key(s) for s in subjects]})

    async def leave_words(self, memory: MemoryId, now: MemoryId) -> bool:
        row = await self._sql.one(_SQL["leave_words"], {"id": memory, "next": now})
        return row is not None and row["done"]

    async def copied_level(self, original: MemoryId, team: PrincipalId) -> EvidenceLevel:
        row = await self._sql.one(_SQL["copied_level"], {"original": original, "team": team})
        return EvidenceLevel(row["level"] if row else 0)

    async def waiting(self, scope: ReadScope, limit: int, cursor: str | None) -> Page[MemoryId]:
        params = scoped(scope) | {"after": place(cursor), "limit": limit + 1}
        found = [MemoryId(r["memory_id"]) for r in await self._sql.all(_SQL["waiting"], params)]
        return Page(found[:limit], str(found[limit - 1]) if len(found) > limit else None)

    async def may_review(self, memory: MemoryId) -> bool:
        row = await self._sql.one(_SQL["may_review"], {"id": memory})
        return row is not None and row["may"]

    async def reword(self, edit: Edit) -> bool:
        params = index_params(edit.id, edit.index, edit.vectors, edit.pending) | {
            "version": edit.version,
            "content": edit.content,
            "title": edit.title,
            "content_hash": edit.content_hash,
            "dedupe_key": edit.dedupe_key,
            "wide": edit.index.wide,
        }
        row = await self._sql.one(_SQL["reword"], params)
        return row is not None and row["done"]

    async def admit(self, memory: MemoryId) -> tuple[Admission, MemoryId]:
        row = await self._sql.one(_SQL["admit"], {"id": memory})
        if row is None:
            raise NotFound("there is no such memory waiting")
        return Admission(row["outcome"]), MemoryId(row["into_"])

    async def reject(self, memory: MemoryId, entry: UUID, reason: str) -> None:
        await self._sql.run(_SQL["reject"], {"id": memory, "entry": entry, "reason": reason})

    async def fail(self, failures: Sequence[Failure]) -> None:
        rows = [
            {"id": f.id, "route": f.route, "code": f.code, "detail": f.detail, "findings": Jsonb(list(map(_told, f.findings)))}
            for f in failures
        ]
        await self._sql.many(_SQL["fail"], rows)

    async def ledger(self, limit: int, cursor: str | None) -> Page[Failure]:
        found = await self._sql.all(_SQL["ledger"], {"before": place(cursor), "limit": limit + 1})
        items = [
            Failure(r["ledger_id"], r["route"], r["code"], r["detail"], tuple(_finding(f) for f in r["findings"]), r["at"])
            for r in found[:limit]
        ]
        return Page(items, str(items[-1].id) if len(found) > limit else None)


def _lock_key(subject: SubjectKey) -> int:
    parts = (str(subject.audience), subject.subject, subject.project_id, subject.session_id)
    whole = "".join("-" if p is None else f"{len(p)}:{p}" for p in parts)
    return int.from_bytes(blake2b(whole.encode(), digest_size=8).digest(), signed=True)


def _told(finding: Finding) -> dict[str, Any]:
    return {"check": finding.check, "message": finding.message, "span": finding.span}


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(row["check"], row["message"], None if row["span"] is None else (row["span"][0], row["span"][1]))
