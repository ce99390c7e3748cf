"""Pictures: the stage of a case as it is now, taken once for all who ask in the same moment."""

import asyncio
from collections.abc import Collection
from dataclasses import dataclass, field
from uuid import UUID

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.ids import CredentialId, TenantId
from whoknows.domain.session import SessionId
from whoknows.domain.stage import StagePicture, project
from whoknows.errors import NotFound
from whoknows.flows.cases import CaseFiles, attended_case
from whoknows.ports import Store

BOARD_SHOWN = 500


@dataclass(eq=False, slots=True)
class _Round:
    """Who asks for the next picture of a case, which is begun after they asked: nobody gets one that is older."""

    keys: dict[CredentialId, Credential] = field(default_factory=dict[CredentialId, Credential])
    sessions: set[SessionId] = field(default_factory=set[SessionId])
    task: asyncio.Task[tuple[StagePicture, Collection[UUID]]] | None = None


class Pictures:
    def __init__(self, store: Store, files: CaseFiles) -> None:
        self._store = store
        self._files = files
        self._gathering: dict[TenantId, _Round] = {}
        self._last: dict[TenantId, asyncio.Task[tuple[StagePicture, Collection[UUID]]]] = {}

    async def take(self, credential: Credential, session: SessionId | None) -> StagePicture:
        """Of the case of this key. Raises NotFound where the key, the session or the case has ended, or there is none."""
        tenant = credential.tenant_id
        round_ = self._gathering.get(tenant)
        if round_ is None:
            round_ = self._gathering[tenant] = _Round()
            round_.task = asyncio.create_task(self._taken(tenant, round_), name="picture of a stage")
        round_.keys[credential.id] = credential
        if session is not None:
            round_.sessions.add(session)
        assert round_.task is not None
        # Whoever goes away leaves the others their picture.
        stage, living = await asyncio.shield(round_.task)
        if credential.id not in living or (session is not None and session not in living):
            raise NotFound("there is no such case")
        return stage

    async def _taken(self, tenant: TenantId, round_: _Round) -> tuple[StagePicture, Collection[UUID]]:
        if tenant in self._last:
            await asyncio.wait([self._last[tenant]])
        del self._gathering[tenant]  # who comes from here on asks for the next one
        me = asyncio.current_task()
        assert me is not None
        self._last[tenant] = me
        try:
            return await self._of_any(list(round_.keys.values()), list(round_.sessions))
        finally:
            if self._last.get(tenant) is me:
                del self._last[tenant]

    async def _of_any(self, keys: list[Credential], sessions: list[SessionId]) -> tuple[StagePicture, Collection[UUID]]:
        """With the key of one of them: what is public in a case is the same for each of its keys."""
        for n, credential in enumerate(keys):
            try:
                return await self._of(credential, keys, sessions)
            except NotFound:
                if n == len(keys) - 1:
                    raise
        raise AssertionError("unreachable")

    async def _of(
        self, credential: Credential, keys: list[Credential], sessions: list[SessionId]
    ) -> tuple[StagePicture, Collection[UUID]]:
        async with self._store.read(Caller(credential, None)) as tx:
            case = await attended_case(tx, credential, credential.tenant)
            living = await tx.console_sessions.living([c.id for c in keys], sessions)
            events = await tx.cases.last_events()
            board = await tx.cases.board(BOARD_SHOWN)
            newest = await tx.cases.newest_event()
        return project(self._files.script(case.script), case.language, events, board, newest), living
