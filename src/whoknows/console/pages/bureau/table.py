"""The operator's table: rooms, board, whispers, questions, and the end of a case."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.case_doors import BUREAU, CASE_COOKIE, LOBBY, CaseDoor, of_case
from whoknows.console.guard import leads_to
from whoknows.console.pages.bureau.scene import Event, laid, scene_of, told
from whoknows.console.viewer import is_part, service_of
from whoknows.domain.ids import MemoryId

router = APIRouter(route_class=CaseDoor)
Words = Annotated[str, Form()]


@router.get("/bureau")
async def table(request: Request) -> Response:
    return await laid(request, await scene_of(request))


@router.post("/bureau/ask")
async def ask(request: Request, role: Words = "", text: Words = "") -> Response:
    """Questions and answers are private: they are in this answer and nowhere in an address."""
    credential = of_case(request).session.credential
    said = await service_of(request).play.ask(credential, credential.tenant, role, text)
    scene = await scene_of(request)
    event = Event("ask", said.role, said=said)
    return await told(request, scene, event, moved=False) if is_part(request) else await laid(request, scene, event)


@router.post("/bureau/whisper")
async def whisper(request: Request, role: Words = "", text: Words = "") -> Response:
    credential = of_case(request).session.credential
    done = await service_of(request).play.whisper(credential, credential.tenant, role, text)
    event = Event("whisper", done.memory.author.name, done.memory.content)
    return await _changed(request, event)


@router.post("/bureau/publish")
async def publish(request: Request, memory_id: Annotated[UUID, Form()]) -> Response:
    """A copy on the board; the original stays locked. The second time it is the same copy."""
    credential = of_case(request).session.credential
    done = await service_of(request).play.publish(credential, credential.tenant, MemoryId(memory_id))
    copy = done.memory
    role = copy.origin.agent_id if copy and copy.origin else ""
    event = Event("publish" if done.first else "publish_again", role, copy.content if copy else "")
    return await _changed(request, event)


@router.post("/bureau/reset")
async def begin_again(request: Request) -> Response:
    credential = of_case(request).session.credential
    await service_of(request).cases.reset(credential, credential.tenant)
    return leads_to(request, BUREAU)


@router.post("/bureau/leave")
async def leave(request: Request) -> Response:
    """The case goes on; whoever has its key may come back."""
    await service_of(request).sign_in.close(of_case(request).token)
    return _gone(request)


@router.post("/bureau/close")
async def close(request: Request) -> Response:
    """The end of the case: its texts are deleted, its keys die."""
    credential = of_case(request).session.credential
    await service_of(request).cases.close(credential, credential.tenant)
    return _gone(request)


def _gone(request: Request) -> Response:
    answer = leads_to(request, LOBBY)
    answer.delete_cookie(CASE_COOKIE, path=BUREAU)
    return answer


async def _changed(request: Request, event: Event) -> Response:
    if is_part(request):
        return await told(request, await scene_of(request), event, moved=True)
    return RedirectResponse(BUREAU, 303)
