"""Show: the stage of a case, and its events as they happen, for every key of the case."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from uuid import UUID

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.session import SessionId
from whoknows.domain.stage import StageEvent, StagePicture
from whoknows.errors import NotFound
from whoknows.flows.cases import attended_case
from whoknows.flows.hall import BEHIND, OVER, QUIET, Halls, Seat, Told, lives, look
from whoknows.flows.pictures import Pictures
from whoknows.ports import Position, Store


@dataclass(frozen=True, slots=True)
class Show:
    """``pictures`` and ``halls`` read for all who watch a case from this process at once what each of them may see."""

    store: Store
    pictures: Pictures
    halls: Halls

    async def stage(self, credential: Credential, name: str, session: SessionId | None = None) -> StagePicture:
        """What is public now. Raises NotFound where the key has ended, the ``session`` of the console, or the case."""
        if name != credential.tenant:
            raise NotFound("there is no such case")
        return await self.pictures.take(credential, session)

    async def events(
        self, credential: Credential, name: str, last_event: UUID | None, session: SessionId | None = None
    ) -> AsyncGenerator[StageEvent | None]:
        """Events after ``last_event`` (or from now on) as they are committed, on any instance; None as a sign of life.

        After a reset the events before it are gone: who goes on from one of them is told everything since. The stream ends
        with the key, with the ``session`` of the console where it has one, and with the case.
        """
        async with self.store.read(Caller(credential, None)) as tx:
            await attended_case(tx, credential, name)
            position = await tx.cases.position(last_event) or (0, 0)
        with self.halls.seat(credential, session, position) as seat:
            while (given := await seat.next()) is not OVER:
                if given is BEHIND:
                    try:
                        while (missed := await self._after(seat, position)) is not None:
                            position, event = missed
                            yield event
                    except NotFound:  # the key has ended, the session, or the case
                        return
                    yield None
                elif given is QUIET:
                    yield None
                elif given[0] > position:  # else it was among what was missed
                    position, event = given
                    yield event

    async def close(self) -> None:
        await self.halls.close()

    async def _after(self, seat: Seat, position: Position) -> Told | None:
        """The event after ``position``, as this viewer alone may have it."""
        seen = await look(self.store, seat.credential, position, [seat])
        if not lives(seat, seen.living):
            raise NotFound("this key has ended")
        return seen.told
