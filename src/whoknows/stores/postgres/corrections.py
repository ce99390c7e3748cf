"""The corrections gateway: every read takes the scope first."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import LiteralString

from pgvector import HalfVector

from whoknows.domain.audience import Layer
from whoknows.domain.correction import Correction, CorrectionId
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.policy.standing import ReadScope
from whoknows.ports import NewCorrection, Page
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import place, scoped
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("corrections")


class PostgresCorrections:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def record(self, new: NewCorrection) -> None:
        params = {
            "id": new.id,
            "audience": new.audience,
            "text": new.text,
            "vector": None if new.vector is None else HalfVector(list(new.vector)),
            "subject": new.subject,
            "project": new.project_id,
            "harness": new.harness,
            "about": new.about,
            "memory": new.memory,
            "at": new.at,
        }
        await self._sql.one(_SQL["record"], params)

    async def get(self, scope: ReadScope, correction: CorrectionId) -> Correction | None:
        found = await self._those(scope, _SQL["by_id"], {"id": correction})
        return found[0] if found else None

    async def page(self, scope: ReadScope, project: str | None, limit: int, cursor: str | None) -> Page[Correction]:
        params: Params = {"project": project, "before": place(cursor), "limit": limit + 1}
        found = await self._those(scope, _SQL["newest"], params)
        return Page(found[:limit], str(found[limit - 1].id) if len(found) > limit else None)

    async def between(
        self, scope: ReadScope, begin: datetime, end: datetime, project: str | None, limit: int
    ) -> Sequence[Correction]:
        return await self._those(scope, _SQL["between"], {"begin": begin, "end": end, "project": project, "limit": limit})

    async def near(
        self, scope: ReadScope, corrections: Sequence[CorrectionId], least: float
    ) -> Mapping[tuple[CorrectionId, CorrectionId], float]:
        params = scoped(scope) | {"ids": list(corrections), "most": 1 - least}
        found = await self._sql.all(_SQL["near"], params)
        return {(CorrectionId(r["first"]), CorrectionId(r["second"])): 1 - r["distance"] for r in found}

    async def forget(self, correction: CorrectionId) -> bool:
        row = await self._sql.one(_SQL["forget"], {"id": correction})
        return row is not None and row["done"]

    async def _those(self, scope: ReadScope, which: LiteralString, params: Params) -> list[Correction]:
        query: LiteralString = f"{_SQL['select']} {which}"
        return [_correction(r) for r in await self._sql.all(query, scoped(scope) | params)]


def _correction(row: rows.Row) -> Correction:
    return Correction(
        id=CorrectionId(row["correction_id"]),
        audience=AudienceId(row["audience_id"]),
        layer=Layer(row["layer"]),
        owner=rows.principal(row["owner"]),
        author=rows.principal(row["author"]),
        text=row["text"],
        subject=row["subject"],
        project_id=row["project_id"],
        harness=row["harness"],
        about=None if row["about"] is None else MemoryId(row["about"]),
        about_key=row["about_key"],
        memory=None if row["memory"] is None else MemoryId(row["memory"]),
        at=row["at"],
        recorded_at=row["recorded_at"],
        measured=row["measured"],
    )
