"""Hall: all who watch one case in this process. One of them reads each event for everybody; every key is checked for each."""

import asyncio
from collections import deque
from collections.abc import Collection, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import Final
from uuid import UUID

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.ids import TenantId
from whoknows.domain.session import SessionId
from whoknows.domain.stage import StageEvent
from whoknows.errors import NotFound, WhoKnowsError
from whoknows.flows.cases import attended_case
from whoknows.ports import Position, Store

MOST_WAITING = 64
"""Events that wait for a viewer; whoever is slower reads for itself what it missed."""
QUIET_SECONDS = 5.0
"""So often a viewer hears that nothing happened."""
_SOON, _LATER = 0.01, 0.5
"""Seconds until an event is looked for again whose turn has not come, because an older transaction is still at work."""


class Note(Enum):
    """What a seat tells its viewer beside events."""

    BEHIND = "behind"
    """read for yourself what came after your last event"""
    QUIET = "quiet"
    OVER = "over"
    """the key, the session or the case has ended, or the database is away"""


BEHIND: Final = Note.BEHIND
QUIET: Final = Note.QUIET
OVER: Final = Note.OVER
Told = tuple[Position, StageEvent]


@dataclass(eq=False)
class Seat:
    """One viewer's place. It begins behind: what came before it sat down, nobody tells it."""

    credential: Credential
    session: SessionId | None
    _waiting: deque[Told] = field(default_factory=deque[Told])
    _behind: bool = True
    _over: bool = False
    _woken: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def behind(self) -> bool:
        return self._behind

    async def next(self) -> Told | Note:
        """The next event. What waits for a seat that is over is not given any more."""
        while not (self._over or self._behind or self._waiting):
            self._woken.clear()
            try:
                await asyncio.wait_for(self._woken.wait(), QUIET_SECONDS)
            except TimeoutError:
                return QUIET
        if self._over:
            return OVER
        if self._behind:
            self._behind = False
            return BEHIND
        return self._waiting.popleft()

    def give(self, told: Told) -> None:
        if self._behind:
            return
        if len(self._waiting) == MOST_WAITING:
            self.leave_behind()
        else:
            self._waiting.append(told)
            self._woken.set()

    def leave_behind(self) -> None:
        self._waiting.clear()
        self._behind = True
        self._woken.set()

    def end(self) -> None:
        self._waiting.clear()
        self._over = True
        self._woken.set()


@dataclass(frozen=True, slots=True)
class Look:
    """``told`` is the next event, if there is one; ``held_back`` says that there is one whose turn has not come.

    ``living`` are those credentials and sessions, of all that were asked about, that are live at this very moment.
    """

    told: Told | None
    held_back: bool
    living: Collection[UUID]


async def look(store: Store, credential: Credential, position: Position, seats: Sequence[Seat]) -> Look:
    """One transaction, one snapshot: what comes next in the case of ``credential``, and who of ``seats`` may hear of it.

    One event at a time: between two of them a key may end. Raises NotFound where the key of ``credential`` or the case has.
    """
    async with store.read(Caller(credential, None)) as tx:
        await attended_case(tx, credential, credential.tenant)
        keys, sessions = {s.credential.id for s in seats}, [s.session for s in seats if s.session is not None]
        living = await tx.console_sessions.living(list(keys), sessions)
        page = await tx.cases.events_after(position, 1)
        held_back = not page and await tx.cases.holds_back(position)
    return Look(page[0] if page else None, held_back, living)


def lives(seat: Seat, living: Collection[UUID]) -> bool:
    return seat.credential.id in living and (seat.session is None or seat.session in living)


class Hall:
    """Everybody who watches a case from this process. The first who comes opens it, and the last who leaves closes it."""

    def __init__(self, store: Store, position: Position) -> None:
        self.seats: set[Seat] = set()
        self._store = store
        self._position = position

    async def follow(self, tenant: TenantId) -> None:
        """Until the last one leaves, or the database is away: then everybody comes back with the last event that it got."""
        try:
            async for _ in self._store.changes(tenant):
                await self._tell()
        except WhoKnowsError:
            pass
        finally:
            for seat in self.seats:
                seat.end()

    async def _tell(self) -> None:
        """Every event there is, to everybody who may hear it."""
        pause = _SOON
        while self.seats and pause < _LATER:
            seats = list(self.seats)
            reader = seats[0]
            try:
                seen = await look(self._store, reader.credential, self._position, seats)
            except NotFound:  # this key has ended, or the case: another one will show
                self._end(s for s in seats if s.credential.id == reader.credential.id)
                continue
            self._end(s for s in seats if not lives(s, seen.living))
            if seen.told is not None:
                self._give(seen.told, seats)
                pause = _SOON
            elif seen.held_back:
                await asyncio.sleep(pause)
                pause *= 2
            else:
                return

    def _give(self, told: Told, checked: Sequence[Seat]) -> None:
        """To those of whom it was seen that they may hear it; whoever sat down meanwhile reads for itself."""
        self._position = told[0]
        for seat in self.seats.intersection(checked):
            seat.give(told)
        for seat in self.seats.difference(checked):
            seat.leave_behind()

    def _end(self, seats: Generator[Seat]) -> None:
        for seat in list(seats):
            seat.end()
            self.seats.discard(seat)


class Halls:
    """The halls of this process, one for each case that somebody watches."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._open: dict[TenantId, tuple[Hall, asyncio.Task[None]]] = {}

    @contextmanager
    def seat(self, credential: Credential, session: SessionId | None, position: Position) -> Generator[Seat]:
        """A seat in the hall of the case. ``position``: nothing before it is missing to whoever sits down."""
        tenant, seat = credential.tenant_id, Seat(credential, session)
        hall = self._hall(tenant, position)
        hall.seats.add(seat)
        try:
            yield seat
        finally:
            hall.seats.discard(seat)
            if not hall.seats:
                self._close(tenant, hall)

    async def close(self) -> None:
        tasks = [task for _, task in self._open.values()]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError):
                await task

    def _hall(self, tenant: TenantId, position: Position) -> Hall:
        if tenant not in self._open or self._open[tenant][1].done():
            hall = Hall(self._store, position)
            task = asyncio.create_task(hall.follow(tenant), name="hall")
            self._open[tenant] = hall, task
        return self._open[tenant][0]

    def _close(self, tenant: TenantId, hall: Hall) -> None:
        opened, task = self._open.get(tenant, (None, None))
        if opened is hall and task is not None:
            task.cancel()
            del self._open[tenant]
