"""Publications: a private memory that its author copied to a team, and how far that has come."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import Principal


class PublicationState(StrEnum):
    PENDING = "pending"
    """an attempt is under way, or died and will be settled"""
    READY = "ready"
    HELD = "held"
    """the copy waits for a reviewer of its destination"""
    WITHDRAWN = "withdrawn"
    REMOVED = "removed"
    """the copy was deleted, by its author or an owner of the team"""
    DELETED = "deleted"
    """the original was deleted, and every copy with it"""


@dataclass(frozen=True, slots=True)
class Publication:
    """What was published where. ``version`` and ``content_hash`` are those of the original that the copy shows."""

    id: PublicationId
    original: MemoryId
    team: Principal
    publisher: Principal
    state: PublicationState
    memory: MemoryId | None
    version: int | None
    content_hash: str | None
    created_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None


@dataclass(frozen=True, slots=True)
class Reserved:
    """This attempt writes the copy now, and nobody else."""

    id: PublicationId


@dataclass(frozen=True, slots=True)
class Busy:
    """Another attempt writes it. In ``seconds`` at the latest its reservation ends."""

    id: PublicationId | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Settled:
    """There is one already, or there was."""

    id: PublicationId
    state: PublicationState


Reservation = Reserved | Busy | Settled


def origin_changed(publication: Publication, original: Memory | None) -> bool:
    """Whether the original says something else than what was published (rules P4). False where there is nothing to compare."""
    if original is None or publication.version is None:
        return False
    return (original.version, original.content_hash) != (publication.version, publication.content_hash)


def shown_state(publication: Publication, copy: Memory | None) -> PublicationState:
    """The state as its publisher is told it: a copy that the gate holds is not ready for its readers."""
    held = copy is not None and copy.state is State.HELD
    return PublicationState.HELD if held and publication.state is PublicationState.READY else publication.state
