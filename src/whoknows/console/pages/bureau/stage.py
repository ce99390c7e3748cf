"""The stage of a case on a big screen: what is public and nothing else, in step with what happens."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, Response, StreamingResponse

from whoknows.console.case_doors import STAGE, StageDoor, WatchersDoor, of_case
from whoknows.console.drawn import Drawn
from whoknows.console.faults import sentence
from whoknows.console.guard import OpenForm, leads_to
from whoknows.console.pages.bureau.lobby import enter_with
from whoknows.console.render import Renderer, render
from whoknows.console.streaming import noted_as_used
from whoknows.console.viewer import is_part, language_of, service_of
from whoknows.console.watching import Watching
from whoknows.console.words import words
from whoknows.domain.stage import StagePicture
from whoknows.errors import NotFound, Unauthenticated
from whoknows.rest.bureau_answers import event
from whoknows.rest.streams import LastEventId, last_event, streamed

router = APIRouter(route_class=OpenForm)


class StageOrItsForm(StageDoor):
    """Who has no key of a case finds the form for one at this very address."""

    def turned_away(self, request: Request) -> Response:
        if is_part(request):
            return leads_to(request, STAGE)
        return render(request, "bureau/stage_door.html", viewer=None, theme="dark", refused=None)


page = APIRouter(route_class=StageOrItsForm)
inside = APIRouter(route_class=WatchersDoor)
listening = APIRouter(route_class=StageDoor)


@page.get("/bureau/stage")
async def stage(request: Request) -> Response:
    shown = await _picture(request)
    return render(request, "bureau/stage.html", viewer=None, theme="dark", stage=shown, looks=_looks(shown))


@inside.get("/bureau/stage/board")
async def board(request: Request) -> Response:
    """The board as it is now, without the page around it."""
    try:
        shown = await _picture(request)
    except NotFound:  # the session ended between the door and the reading
        return leads_to(request, STAGE)
    drawn: Drawn = request.app.state.drawn
    renderer: Renderer = request.app.state.renderer
    language = language_of(request)
    given = {"t": words(language), "stage": shown, "looks": _looks(shown)}
    return HTMLResponse(drawn.once(shown, language, lambda: renderer("bureau/stage_board.html", given)))


@listening.get("/bureau/stage/events", response_class=StreamingResponse)
async def events(
    request: Request, after: Annotated[UUID | None, Query()] = None, last_event_id: LastEventId = None
) -> Response:
    """``after`` is the event that the page was drawn up to; a browser that comes back names the last one it got."""
    viewer = of_case(request)
    credential = viewer.session.credential
    after = last_event(last_event_id) or after
    found = service_of(request).show.events(credential, credential.tenant, after, viewer.session.id)
    watching: Watching = request.app.state.watching
    seen = watching.through(viewer.token, viewer.session, noted_as_used(request, viewer.token, found))
    return await streamed(seen, event)


@router.post("/bureau/stage")
async def enter(request: Request, key: Annotated[str, Form()] = "") -> Response:
    """With a key that only shows, or the operator's."""
    try:
        answer = await enter_with(request, key)
    except (Unauthenticated, NotFound) as fault:
        return render(
            request, "bureau/stage_door.html", status=401, viewer=None, theme="dark", refused=sentence(request, fault)
        )
    answer.headers["Location"] = STAGE
    return answer


async def _picture(request: Request) -> StagePicture:
    session = of_case(request).session
    return await service_of(request).show.stage(session.credential, session.credential.tenant, session.id)


def _looks(shown: StagePicture) -> dict[str, int]:
    """A case's roles come into being in the order of the script, and so do their looks."""
    return {f"agent:{role.id}": number for number, role in enumerate(shown.roles)}


for _part in (page, inside, listening):
    router.include_router(_part)
