"""The gateway of traces, events, audit and idempotency."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from whoknows.domain.ids import MemoryId, PrincipalId, TenantId, TraceId
from whoknows.domain.trace import Asked, Trace
from whoknows.policy.standing import ReadScope
from whoknows.ports.paging import Page

Position = tuple[int, int]
"""A place in the stream of events: never shown, only compared."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event: whitelisted fields, no text."""

    id: UUID
    kind: str
    memory_id: MemoryId
    at: datetime
    position: Position


@dataclass(frozen=True, slots=True)
class AuditRow:
    id: UUID
    at: datetime
    credential_id: UUID | None
    principal: str | None
    action: str
    target: str | None
    concerns: str | None
    detail: dict[str, Any]


class Records(Protocol):
    """Traces, events, audit, idempotency, and the writer's own pending work."""

    async def trace(self, scope: ReadScope, trace: TraceId) -> Trace | None: ...
    async def newest_traces(self, scope: ReadScope, limit: int) -> Sequence[Asked]:
        """One's own questions, newest first, with all that scored then, whether or not it is visible now."""
        ...

    async def visible(self, scope: ReadScope, memories: Sequence[MemoryId]) -> frozenset[MemoryId]: ...
    async def events_after(self, scope: ReadScope, position: Position, limit: int) -> Sequence[EventRow]: ...
    async def position(self, event: UUID | None) -> Position:
        """The place to go on from: that of an event of the tenant, or the present. It is never shown."""
        ...

    async def audit(self, limit: int, cursor: str | None) -> Page[AuditRow]: ...
    async def pending_embeddings(self) -> int: ...
    async def last_asked(self) -> datetime | None:
        """When the caller itself last asked for memories, by this key."""
        ...

    async def remembered(
        self, tenant: TenantId, principal: PrincipalId, route: str, key: str, body_hash: str
    ) -> dict[str, Any] | None:
        """Claim an Idempotency-Key. None: it is new, go on. Else what was answered.

        Another body raises IdempotencyMismatch.
        """
        ...

    async def remember(self, principal: PrincipalId, route: str, key: str, answer: dict[str, Any]) -> None: ...
