"""Exchanges of programs that wait to be distilled, and what a session has got so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from uuid import UUID

from whoknows.domain.harness import HookEvent, Outcome, Program
from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId, TenantId
from whoknows.domain.principal import Principal


@dataclass(frozen=True, slots=True)
class Given:
    """What one earlier event of a session got. ``reason`` as in `HookTurn`."""

    event: HookEvent
    turn_id: str
    memories: Sequence[MemoryId]
    at: datetime
    outcome: Outcome = Outcome.NOTHING
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ClaimedExchange:
    """What was asked and what was answered last, without secrets; this process's to distil, as the one who asked."""

    id: UUID
    claim: UUID
    tenant: TenantId
    owner: PrincipalId
    credential: CredentialId
    program: Program
    session_id: str
    turn_id: str
    project_id: str
    prompt: str
    answer: str
    asked_by: Principal


def message_number(program: Program, session_id: str, turn_id: str) -> str:
    """What the message of a turn is called where it is distilled; its answer is called that and ``:answer``."""
    named = f"{len(session_id)}:{session_id}{turn_id}"
    return f"{program}:{blake2b(named.encode(), digest_size=8).hexdigest()}"
