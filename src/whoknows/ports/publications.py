"""The gateway of publications."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol
from uuid import UUID

from whoknows.domain.ids import MemoryId, PrincipalId, PublicationId
from whoknows.domain.principal import GateLevel
from whoknows.domain.publication import Publication, PublicationState, Reservation
from whoknows.policy.standing import ReadScope
from whoknows.ports.paging import Page


class Completion(StrEnum):
    """What the last step of publishing came to."""

    READY = "ready"
    LOST = "lost"
    """the reservation is not this attempt's any more, or the copy is gone"""
    REFUSED = "refused"
    """the publisher may not write there any more: what stands there is to be taken down"""


class Renewal(StrEnum):
    """What publishing again came to; the last four change nothing."""

    RENEWED = "renewed"
    SAME = "same"
    ABSENT = "absent"
    """there is no copy: it is made as at the first time"""
    PENDING = "pending"
    SUPERSEDED = "superseded"
    DELETED = "deleted"


class Publications(Protocol):
    """One's own publications, and the steps of publishing: each checks P1 and P2 again and is a transaction of its own.

    ``lease`` names an attempt: what it reserved is its own until the reservation ends by the database's clock.
    """

    async def reserve(
        self, publication: PublicationId, original: MemoryId, team: PrincipalId, lease: UUID, seconds: float, again: bool
    ) -> Reservation:
        """Ask to write the one copy. ``publication`` is its id where there is none yet.

        ``again``: also where a copy was withdrawn or removed.
        """
        ...

    async def write(
        self, publication: PublicationId, lease: UUID, copy: MemoryId, gate: GateLevel, held: bool
    ) -> MemoryId | None:
        """The copy, ``copy`` or one that an earlier attempt left; None where the reservation is not this attempt's any more."""
        ...

    async def complete(self, publication: PublicationId, lease: UUID) -> Completion: ...
    async def abandon(self, publication: PublicationId, lease: UUID) -> bool:
        """Compensate: neither copy nor reservation stays. False where another attempt has taken over."""
        ...

    async def pending(self, publication: PublicationId) -> bool:
        """Whether an attempt at one's own publication is under way, or died."""
        ...

    async def withdraw(self, publication: PublicationId) -> PublicationState: ...
    async def renew(self, publication: PublicationId, gate: GateLevel, held: bool) -> Renewal: ...
    async def get(self, scope: ReadScope, publication: PublicationId) -> Publication | None: ...
    async def page(self, scope: ReadScope, limit: int, cursor: str | None) -> Page[Publication]:
        """Newest first."""
        ...

    async def of(self, scope: ReadScope, originals: Sequence[MemoryId]) -> Sequence[Publication]:
        """One's own of these originals, whatever became of them, oldest first."""
        ...
