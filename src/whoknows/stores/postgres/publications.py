"""The publications gateway: one's own publications, and the steps of publishing."""

from collections.abc import Sequence
from typing import LiteralString
from uuid import UUID

from whoknows.domain.ids import MemoryId, PrincipalId, PublicationId
from whoknows.domain.principal import GateLevel
from whoknows.domain.publication import Busy, Publication, PublicationState, Reservation, Reserved, Settled
from whoknows.errors import StoreUnavailable
from whoknows.policy.standing import ReadScope
from whoknows.ports.paging import Page
from whoknows.ports.publications import Completion, Renewal
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.parameters import place, scoped
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("publications")


class PostgresPublications:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def reserve(
        self, publication: PublicationId, original: MemoryId, team: PrincipalId, lease: UUID, seconds: float, again: bool
    ) -> Reservation:
        row = await self._one(
            "reserve",
            {"id": publication, "original": original, "team": team, "lease": lease, "seconds": float(seconds), "again": again},
        )
        match row["outcome"]:
            case "reserved":
                return Reserved(PublicationId(row["id"]))
            case "pending":
                return Busy(None if row["id"] is None else PublicationId(row["id"]), row["wait"])
            case state:
                return Settled(PublicationId(row["id"]), PublicationState(state))

    async def write(
        self, publication: PublicationId, lease: UUID, copy: MemoryId, gate: GateLevel, held: bool
    ) -> MemoryId | None:
        params = {"id": publication, "lease": lease, "copy": copy, "gate": str(gate), "held": held}
        return (await self._one("write", params))["copy"]

    async def complete(self, publication: PublicationId, lease: UUID) -> Completion:
        return Completion((await self._one("complete", {"id": publication, "lease": lease}))["outcome"])

    async def abandon(self, publication: PublicationId, lease: UUID) -> bool:
        return (await self._one("abandon", {"id": publication, "lease": lease}))["done"]

    async def pending(self, publication: PublicationId) -> bool:
        return await self._sql.one(_SQL["pending"], {"id": publication}) is not None

    async def withdraw(self, publication: PublicationId) -> PublicationState:
        return PublicationState((await self._one("withdraw", {"id": publication}))["state"])

    async def renew(self, publication: PublicationId, gate: GateLevel, held: bool) -> Renewal:
        return Renewal((await self._one("renew", {"id": publication, "gate": str(gate), "held": held}))["outcome"])

    async def get(self, scope: ReadScope, publication: PublicationId) -> Publication | None:
        query: LiteralString = f"{_SQL['select']} {_SQL['by_id']}"
        row = await self._sql.one(query, scoped(scope) | {"id": publication})
        return None if row is None else _publication(row)

    async def page(self, scope: ReadScope, limit: int, cursor: str | None) -> Page[Publication]:
        query: LiteralString = f"{_SQL['select']} {_SQL['newest']}"
        params = scoped(scope) | {"before": place(cursor), "limit": limit + 1}
        found = [_publication(r) for r in await self._sql.all(query, params)]
        return Page(found[:limit], str(found[limit - 1].id) if len(found) > limit else None)

    async def of(self, scope: ReadScope, originals: Sequence[MemoryId]) -> Sequence[Publication]:
        query: LiteralString = f"{_SQL['select']} {_SQL['of_originals']}"
        return [_publication(r) for r in await self._sql.all(query, scoped(scope) | {"originals": list(originals)})]

    async def _one(self, block: str, params: Params) -> rows.Row:
        row = await self._sql.one(_SQL[block], params)
        if row is None:
            raise StoreUnavailable
        return row


def _publication(row: rows.Row) -> Publication:
    return Publication(
        id=PublicationId(row["publication_id"]),
        original=MemoryId(row["original_id"]),
        team=rows.principal(row["team"]),
        publisher=rows.principal(row["publisher"]),
        state=PublicationState(row["state"]),
        memory=None if row["memory_id"] is None else MemoryId(row["memory_id"]),
        version=row["version"],
        content_hash=row["content_hash"],
        created_at=row["created_at"],
        published_at=row["published_at"],
        withdrawn_at=row["withdrawn_at"],
    )
