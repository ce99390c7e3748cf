"""The gateway of the console's sessions: definer functions alone reach them."""

from collections.abc import Collection, Sequence
from uuid import UUID

from whoknows.domain.credential import Credential
from whoknows.domain.ids import CredentialId
from whoknows.domain.session import Session, SessionId
from whoknows.ports import Keep
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.credentials import credential_of
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("console_sessions")


class PostgresConsoleSessions:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def find(self, token_hash: bytes) -> Session | None:
        row = await self._sql.one(_SQL["find"], {"hash": token_hash})
        return None if row is None else _session(SessionId(row["session_id"]), credential_of(row), row)

    async def open(self, credential: Credential, session: SessionId, token_hash: bytes) -> Session | None:
        row = await self._sql.one(_SQL["open"], {"id": session, "hash": token_hash})
        return None if row is None else _session(session, credential, row)

    async def choose(
        self, session: Session, acting: str | Keep | None, eyes: str | Keep | None, project: str | Keep | None
    ) -> Session | None:
        given = {"acting": acting, "eyes": eyes, "project": project}
        named = {name: value for name, value in given.items() if not isinstance(value, Keep)}
        params = dict.fromkeys(given) | named | {"id": session.id, "named": list(named)}
        row = await self._sql.one(_SQL["choose"], params)
        return None if row is None else _session(session.id, session.credential, row)

    async def close(self, session: SessionId) -> None:
        await self._sql.one(_SQL["close"], {"id": session})

    async def living(self, keys: Sequence[CredentialId], sessions: Sequence[SessionId]) -> Collection[UUID]:
        found = await self._sql.all(_SQL["living"], {"keys": list(keys), "sessions": list(sessions)})
        return {row["id"] for row in found}


def _session(session: SessionId, credential: Credential, row: rows.Row) -> Session:
    return Session(session, credential, row["acting"], row["eyes"], row["project"], row["ends_at"])
