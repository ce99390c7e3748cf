"""The credentials gateway: keys by their hash, and the tenants they open."""

from collections.abc import Sequence
from datetime import datetime

from whoknows.domain.credential import Credential, Permission
from whoknows.domain.ids import CredentialId, PrincipalId, TenantId
from whoknows.errors import PermissionMissing
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("credentials")


class PostgresCredentials:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def authenticate(self, secret_hash: bytes) -> Credential | None:
        row = await self._sql.one(_SQL["authenticate"], {"hash": secret_hash})
        return None if row is None else credential_of(row)

    async def make(
        self,
        credential: CredentialId,
        secret_hash: bytes,
        acts_as: Sequence[PrincipalId],
        permissions: Sequence[Permission],
        task_id: str | None,
        expires_at: datetime | None,
    ) -> None:
        params = {
            "id": credential,
            "hash": secret_hash,
            "acts_as": list(acts_as),
            "permissions": [str(p) for p in permissions],
            "task_id": task_id,
            "expires_at": expires_at,
        }
        await self._sql.one(_SQL["make"], params)

    async def revoke(self, credential: CredentialId) -> bool:
        row = await self._sql.one(_SQL["revoke"], {"id": credential})
        return row is not None and row["revoked"]

    async def all(self) -> Sequence[Credential]:
        return [credential_of(r) for r in await self._sql.all(_SQL["list"])]

    async def create_tenant(self, name: str, credential: CredentialId, secret_hash: bytes) -> TenantId:
        row = await self._sql.one(_SQL["create_tenant"], {"name": name, "id": credential, "hash": secret_hash})
        if row is None:
            raise PermissionMissing
        return TenantId(row["tenant_id"])

    async def note_inspection(self, route: str) -> None:
        await self._sql.one(_SQL["note_inspection"], {"route": route})


def credential_of(row: rows.Row) -> Credential:
    return Credential(
        id=CredentialId(row["credential_id"]),
        tenant_id=TenantId(row["tenant_id"]),
        tenant=row["tenant"],
        acts_as=tuple(rows.principal(p) for p in row["acts_as"]),
        permissions=frozenset(Permission(p) for p in row["permissions"]),
        task_id=row["task_id"],
        expires_at=row["expires_at"],
        created_at=row.get("created_at"),
        revoked_at=row.get("revoked_at"),
    )
