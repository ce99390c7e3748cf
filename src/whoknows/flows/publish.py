"""Publish: a private memory is copied to a team, once, in three steps of which each survives the death of the process."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID, uuid4

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, PublicationId, new_memory_id, new_publication_id
from whoknows.domain.publication import Busy, PublicationState, Reserved, Settled
from whoknows.errors import (
    Concurrent,
    Forbidden,
    NotFound,
    PublicationPending,
    PublicationWithdrawn,
    RefusedByGate,
    WhoKnowsError,
)
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, label
from whoknows.flows.publishable import Published, allowed, own, told, verdict_of
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import Completion, Store, Tx

LEASE_SECONDS = 5.0
"""How long a dead attempt keeps others waiting. A live one takes milliseconds."""
PATIENCE_SECONDS = 2.0
"""How long a request waits for the copy that another one is making."""
_PAUSES = (0.02, 0.2)
"""Seconds between two looks: the first, and the longest."""


class Step(StrEnum):
    """The points of publishing at which a process may die: within a transaction, and behind its commit."""

    RESERVING = "reserving"
    RESERVED = "reserved"
    WRITING = "writing"
    WRITTEN = "written"
    COMPLETING = "completing"
    COMPLETED = "completed"
    COMPENSATING = "compensating"


async def _go_on(_: Step) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Publish:
    """The saga of rule P3. ``reached`` is called at every step: by default it does nothing, tests stop or kill there."""

    store: Store
    limits: Limits
    ledger: Ledger
    lease_seconds: float = LEASE_SECONDS
    patience_seconds: float = PATIENCE_SECONDS
    reached: Callable[[Step], Awaitable[None]] = _go_on

    async def __call__(self, caller: Caller, memory: MemoryId, team_id: str) -> Published:
        """Copy a private memory of the caller's to a team; the copy that is there already, where there is one.

        Raises PublicationPending while another attempt makes it, PublicationWithdrawn where it was taken back.
        """
        label(team_id, self.limits.label, "team_id")
        async with self.ledger.kept(caller, "publish"):
            return await self.saga(caller, memory, team_id, again=False)

    async def saga(self, caller: Caller, memory: MemoryId, team_id: str, again: bool) -> Published:
        """``again``: also where the copy was withdrawn before it was made, or removed since."""
        lease, until = uuid4(), time.monotonic() + self.patience_seconds
        busy = Busy(None, 0)
        while True:
            with suppress(Concurrent):  # a deadlock, or a gate that changed just now: look again
                match await self._reserve(caller, memory, team_id, lease, again):
                    case Published() as there:
                        return there
                    case Reserved(publication):
                        done = await self._carry_out(caller, publication, memory, team_id, lease)
                        if done is not None:
                            return done
                    case Busy() as busy:
                        await self._watch(caller, busy, until)
            if time.monotonic() >= until:
                raise PublicationPending(retry_after=busy.seconds)
            await asyncio.sleep(_PAUSES[0])

    async def _watch(self, caller: Caller, busy: Busy, until: float) -> None:
        """Until the other attempt is done, or its reservation has ended, or ``until``."""
        ends, pause = min(until, time.monotonic() + busy.seconds), _PAUSES[0]
        while busy.id is not None and time.monotonic() < ends:
            await asyncio.sleep(pause)
            pause = min(pause * 1.6, _PAUSES[1])
            async with self.store.read(caller) as tx:
                if not await tx.publications.pending(busy.id):
                    return

    async def _reserve(
        self, caller: Caller, memory: MemoryId, team_id: str, lease: UUID, again: bool
    ) -> Reserved | Busy | Published:
        async with self.store.write(caller) as tx:
            scope, team = await allowed(tx, memory, team_id)
            reservation = await tx.publications.reserve(new_publication_id(), memory, team.id, lease, self.lease_seconds, again)
            if isinstance(reservation, Settled):
                return await _settled(tx, scope, reservation)
            if isinstance(reservation, Reserved):
                await verdict_of(tx, memory, team)  # before the reservation is committed: most refusals leave nothing to undo
                await self.reached(Step.RESERVING)
        return reservation

    async def _carry_out(
        self, caller: Caller, publication: PublicationId, memory: MemoryId, team_id: str, lease: UUID
    ) -> Published | None:
        """The copy and the record of it. None where another attempt has taken over: then look again."""
        await self.reached(Step.RESERVED)
        try:
            if not await self._write(caller, publication, memory, team_id, lease):
                return None
            await self.reached(Step.WRITTEN)
            return await self._complete(caller, publication, lease)
        except (Forbidden, NotFound, RefusedByGate):  # a right ended between the steps, or the original
            # If this fails too, the sweeper finds what is left: a reservation without a copy, or the clean-up task.
            with suppress(WhoKnowsError):
                await self.reached(Step.COMPENSATING)
                async with self.store.write(caller) as tx:
                    await tx.publications.abandon(publication, lease)
            raise

    async def _write(self, caller: Caller, publication: PublicationId, memory: MemoryId, team_id: str, lease: UUID) -> bool:
        async with self.store.write(caller) as tx:
            _, team = await allowed(tx, memory, team_id)
            gate, held = await verdict_of(tx, memory, team)
            copy = await tx.publications.write(publication, lease, new_memory_id(), gate, held)
            await self.reached(Step.WRITING)
        return copy is not None

    async def _complete(self, caller: Caller, publication: PublicationId, lease: UUID) -> Published | None:
        async with self.store.write(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            outcome = await tx.publications.complete(publication, lease)
            ready = await _told(tx, scope, publication, first=True) if outcome is Completion.READY else None
            await self.reached(Step.COMPLETING)
        if outcome is Completion.REFUSED:
            raise Forbidden("the right to write there ended while this was being published", reason_code="may_not_write")
        await self.reached(Step.COMPLETED)
        return ready


async def _settled(tx: Tx, scope: ReadScope, found: Settled) -> Published:
    match found.state:
        case PublicationState.READY | PublicationState.HELD:
            return await _told(tx, scope, found.id, first=False)
        case PublicationState.WITHDRAWN | PublicationState.REMOVED:
            raise PublicationWithdrawn(f"this was published there and is {found.state} since: republish {found.id}")
        case PublicationState.DELETED | PublicationState.PENDING:
            raise NotFound("there is no such memory")


async def _told(tx: Tx, scope: ReadScope, publication: PublicationId, first: bool) -> Published:
    (published,) = await told(tx, [await own(tx, scope, publication)], first)
    return published
