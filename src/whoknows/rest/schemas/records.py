"""Health, oneself, pending work and the audit trail, on the wire."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.credential import Permission
from whoknows.rest.schemas.forms import Told


class Health(Told):
    """How it is."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"status": "ok"}]})

    status: str


class Whoami(Told):
    """What a key may do."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "tenant": "default",
                    "acts_as": ["agent:wukong"],
                    "role": "sub",
                    "permissions": [],
                    "task_id": None,
                    "expires_at": None,
                }
            ]
        }
    )

    tenant: str
    acts_as: list[str]
    role: str | None
    """`admin`, else `main`, `sub` or `member` where the key acts as one only."""
    permissions: list[Permission]
    task_id: str | None
    expires_at: datetime | None


class Pending(Told):
    """How many of the caller's own writes still wait for something."""

    embedding: int = Field(examples=[0])
    egress_forbidden: int = Field(examples=[0])
    """Of these, those whose bank keeps them from an embedder outside this machine."""


class Audited(Told):
    """Who did what to which id, when, with which key. No texts."""

    id: UUID
    at: datetime
    credential_id: UUID | None
    principal: str | None = Field(examples=["agent:wukong"])
    action: str = Field(examples=["memory.share"])
    target: str | None
    concerns: str | None
    detail: dict[str, Any]


class AuditPage(Told):
    items: list[Audited]
    next_cursor: str | None
