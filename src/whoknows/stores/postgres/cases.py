"""The cases gateway: founding, emptying and closing a case, and what its stage shows."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.case import Case
from whoknows.domain.ids import CredentialId, TenantId
from whoknows.domain.script import Language
from whoknows.domain.stage import Happening, StageCard, StageEvent
from whoknows.errors import PermissionMissing
from whoknows.ports.cases import NewCard
from whoknows.ports.records import Position
from whoknows.stores.postgres.parameters import halfvecs, terms
from whoknows.stores.postgres.rows import Row
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("cases")


class PostgresCases:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def open(
        self, name: str, credential: CredentialId, secret_hash: bytes, roles: Sequence[str], script: str, language: Language
    ) -> TenantId:
        named = {"name": name, "credential": credential, "hash": secret_hash}
        row = await self._sql.one(_SQL["open"], named | {"roles": list(roles), "script": script, "language": str(language)})
        return _tenant(row)

    async def lay(self, tenant: TenantId, card: NewCard) -> None:
        params = {
            "tenant": tenant,
            "role": card.role,
            "id": card.id,
            "content": card.content,
            "category": "fact",
            "tags": list(card.tags),
            "content_hash": card.content_hash,
            "dedupe_key": card.dedupe_key,
            "wide": card.index.wide,
            **terms(card.index),
            "vectors": halfvecs(card.vectors),
        }
        await self._sql.run(_SQL["lay"], params)

    async def begin(self, tenant: TenantId) -> None:
        await self._sql.run(_SQL["begin"], {"tenant": tenant})

    async def clear(self) -> TenantId:
        return _tenant(await self._sql.one(_SQL["clear"]))

    async def close(self) -> None:
        await self._sql.run(_SQL["close"])

    async def find(self, name: str) -> Case | None:
        row = await self._sql.one(_SQL["find"])
        return None if row is None else Case(name, row["script"], Language(row["language"]), row["founded_at"], row["reset_at"])

    async def note_inspection(self, route: str) -> None:
        await self._sql.run(_SQL["note_inspection"], {"route": route})

    async def make_show_key(self, credential: CredentialId, secret_hash: bytes, expires_at: datetime | None) -> None:
        await self._sql.run(_SQL["make_show_key"], {"id": credential, "hash": secret_hash, "expires_at": expires_at})

    async def tell_asked(self, known: bool, mode: AnswerMode, searched: Sequence[str]) -> None:
        await self._sql.run(_SQL["tell_asked"], {"known": known, "mode": str(mode), "searched": list(searched)})

    async def board(self, limit: int) -> Sequence[StageCard]:
        found = await self._sql.all(_SQL["board"], {"limit": limit})
        return [StageCard(r["content"], tuple(r["tags"]), r["author"], r["at"]) for r in found]

    async def last_events(self) -> Sequence[StageEvent]:
        return [_event(r) for r in await self._sql.all(_SQL["last_events"])]

    async def newest_event(self) -> UUID | None:
        row = await self._sql.one(_SQL["newest_event"])
        return None if row is None else row["event_id"]

    async def events_after(self, position: Position, limit: int) -> Sequence[tuple[Position, StageEvent]]:
        params = {"xid": str(position[0]), "number": position[1], "limit": limit}
        return [((r["xid"], r["event_no"]), _event(r)) for r in await self._sql.all(_SQL["events_after"], params)]

    async def holds_back(self, position: Position) -> bool:
        row = await self._sql.one(_SQL["holds_back"], {"xid": str(position[0]), "number": position[1]})
        return row is not None and row["held_back"]

    async def position(self, event: UUID | None) -> Position | None:
        if event is None:
            row = await self._sql.one(_SQL["present_position"])
            return (row["xid"] if row else 0, 0)
        row = await self._sql.one(_SQL["event_position"], {"event": event})
        return None if row is None else (row["xid"], row["event_no"])


def _tenant(row: Row | None) -> TenantId:
    if row is None:
        raise PermissionMissing
    return TenantId(row["tenant_id"])


def _event(row: Row) -> StageEvent:
    mode = None if row["mode"] is None else AnswerMode(row["mode"])
    return StageEvent(
        row["event_id"], Happening(row["kind"]), row["role"], row["known"], mode, tuple(row["searched"]), row["at"]
    )
