"""Show: the stage of a case, and its events as they happen, for every key of the case."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from uuid import UUID

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.stage import Stage, StageEvent, project
from whoknows.errors import NotFound
from whoknows.flows.cases import CaseFiles, attended_case
from whoknows.ports import Store

BOARD_SHOWN = 500


@dataclass(frozen=True, slots=True)
class Show:
    store: Store
    files: CaseFiles

    async def stage(self, credential: Credential, name: str) -> Stage:
        async with self.store.read(Caller(credential, None)) as tx:
            case = await attended_case(tx, credential, name)
            events = await tx.cases.last_events()
            board = await tx.cases.board(BOARD_SHOWN)
            newest = await tx.cases.newest_event()
        return project(self.files.script(case.script), case.language, events, board, newest)

    async def events(self, credential: Credential, name: str, last_event: UUID | None) -> AsyncGenerator[StageEvent | None]:
        """Events after ``last_event`` (or from now on) as they are committed, on any instance; None as a sign of life.

        After a reset the events before it are gone: who goes on from one of them is told everything since. The stream ends
        with the key, and with the case.
        """
        nobody = Caller(credential, None)
        async with self.store.read(nobody) as tx:
            await attended_case(tx, credential, name)
            position = await tx.cases.position(last_event) or (0, 0)
        async for _ in self.store.changes(credential.tenant_id):
            sent = 0
            while True:
                try:
                    async with self.store.read(nobody) as tx:
                        await attended_case(tx, credential, name)
                        # One event a transaction: between two of them the key may end.
                        page = await tx.cases.events_after(position, 1)
                except NotFound:  # the key has ended, or the case
                    return
                if not page:
                    break
                position, event = page[0]
                sent += 1
                yield event
            if not sent:
                yield None
