"""Injections: what was given to a descendant, by whom, on what basis, and until when (rules §5)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import Principal


class Depth(StrEnum):
    """How much is given beside what is listed by id. No depth reaches for private memories of the giver."""

    MINIMAL = "minimal"
    """what matches the task"""
    STANDARD = "standard"
    """that, and the context of the project"""
    FULL = "full"
    """all that may be given"""


class Basis(StrEnum):
    """By what right something is given."""

    LISTED = "listed"
    """the giver's own, named by its id"""
    SHARED = "shared"
    """the giver's own, and its `visible_to` names the target"""
    TEAM = "team"
    """the target is on the team, or the team shares with sub-agents"""
    PASSED_ON = "passed_on"
    """a copy that the giver was allowed to pass on"""


@dataclass(frozen=True, slots=True)
class Injection:
    """``memory`` is the copy. ``original`` and ``origin_changed`` are for those who may read the original, else None."""

    id: UUID
    giver: Principal
    target: Principal
    memory: MemoryId
    original: MemoryId | None
    origin_changed: bool | None
    basis: Basis
    task_id: str | None
    may_pass_on: bool
    created_at: datetime
    expires_at: datetime | None
    ended_at: datetime | None
    ended_why: str | None
