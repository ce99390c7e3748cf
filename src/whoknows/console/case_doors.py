"""The doors of a case: the operator's table, and the stage, each with a session of its own beside that of the house."""

from typing import Literal

from starlette.requests import Request
from starlette.responses import Response

from whoknows.console.guard import SESSION_COOKIE, Guarded, leads_to, recognise, session_in, viewer_for
from whoknows.console.paths import CONSOLE
from whoknows.console.viewer import Viewer, service_of
from whoknows.console.watching import Watching
from whoknows.domain.credential import Credential, Permission
from whoknows.domain.session import Session
from whoknows.errors import NotFound, Unauthenticated

BUREAU = f"{CONSOLE}/bureau"
LOBBY = f"{BUREAU}/cases"
STAGE = f"{BUREAU}/stage"
CASE_COOKIE = "whoknows_case"
"""The session of a case's operator; sent to the Bureau alone."""
STAGE_COOKIE = "whoknows_stage"
"""The session of a key that only shows; sent to the stage alone."""

Part = Literal["operator", "show"]


async def part_of(request: Request, credential: Credential) -> Part | None:
    """What a key is in its case; None where it is of no case."""
    if await service_of(request).cases.own(credential) is None:
        return None
    return "operator" if Permission.INSPECT in credential.permissions else "show"


class CaseDoor(Guarded):
    """For the operator of a case: by the case's own session, or because it was an operator who signed in to the house."""

    async def session(self, request: Request) -> tuple[str, Session]:
        return await _first(request, (CASE_COOKIE,), ("operator",))

    async def admit(self, request: Request, session: Session, token: str) -> None:
        """The frame shows who is signed in to the house, if anybody is; the page itself is the case's."""
        await recognise(request)
        request.state.of_case = await viewer_for(request, session, token)

    def turned_away(self, request: Request) -> Response:
        answer = leads_to(request, LOBBY)
        answer.delete_cookie(CASE_COOKIE, path=BUREAU)
        return answer


class StageDoor(Guarded):
    """For every key of a case. Nothing else of the house is shown here, whoever else is signed in."""

    async def session(self, request: Request) -> tuple[str, Session]:
        return await _first(request, (CASE_COOKIE, STAGE_COOKIE), ("operator", "show"))

    async def admit(self, request: Request, session: Session, token: str) -> None:
        request.state.of_case = Viewer(session, token, {})

    def turned_away(self, request: Request) -> Response:
        return leads_to(request, STAGE)


class WatchersDoor(StageDoor):
    """For what a screen fetches while its stream is open: fifty of them do at once. The flow checks the session as it reads."""

    async def session(self, request: Request) -> tuple[str, Session]:
        watching: Watching = request.app.state.watching
        for cookie in (CASE_COOKIE, STAGE_COOKIE):
            token = request.cookies.get(cookie)
            session = watching.find(token)
            if token is not None and session is not None:
                return token, session
        return await super().session(request)


def of_case(request: Request) -> Viewer:
    """Whoever stands behind the door of a case. The case goes by the name of its tenant."""
    return request.state.of_case


async def _first(request: Request, cookies: tuple[str, ...], parts: tuple[Part, ...]) -> tuple[str, Session]:
    """The first live session of ``cookies``; else that of the house, if its key has one of these ``parts`` in a case."""
    for cookie in cookies:
        try:
            return await session_in(request, cookie)
        except Unauthenticated:
            continue
    token, session = await session_in(request, SESSION_COOKIE)
    if await part_of(request, session.credential) not in parts:
        raise Unauthenticated
    return token, session


async def must_be_of_a_case(request: Request, credential: Credential) -> Part:
    part = await part_of(request, credential)
    if part is None:
        raise NotFound("this key belongs to no case: open one, or take the key that was shown when it was opened", field="key")
    return part
