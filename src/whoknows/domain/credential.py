"""Credentials: the only source of identity."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from whoknows.domain.ids import CredentialId, TenantId
from whoknows.domain.principal import Principal

KEY_PREFIX = "wk_"
KEY_MINIMUM = 32
"""Least characters of ``[A-Za-z0-9_]`` after the prefix."""


class Permission(StrEnum):
    ADMIN = "admin"
    """members, agents, teams, keys"""
    IMPERSONATE = "impersonate"
    """make a further key for a principal that already has one; change an agent's account"""
    INSPECT = "inspect"
    """read what others see, by the header X-Seen-As"""
    AUDIT = "audit"
    CREATE_TENANTS = "create_tenants"


@dataclass(frozen=True, slots=True)
class Credential:
    """A key as the store knows it: never its secret."""

    id: CredentialId
    tenant_id: TenantId
    tenant: str
    acts_as: tuple[Principal, ...]
    permissions: frozenset[Permission]
    task_id: str | None
    expires_at: datetime | None
    created_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a request: a live credential, the one principal it acts as, and the task it claims.

    ``principal`` is None for a key that only administers. ``seen_as`` marks the use of ``inspect``.
    """

    credential: Credential
    principal: Principal | None
    task: str | None = None
    seen_as: bool = False
