"""The recall inspector: ask, and see what each arm brought, what the floor let through, and how sure answers usually are."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console import reasons
from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.knows.room import caller_as
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.score_histogram import histogram
from whoknows.console.trace_picture import picture
from whoknows.console.viewer import reader_of, service_of, viewer_of
from whoknows.domain.credential import Caller
from whoknows.domain.ids import TraceId
from whoknows.domain.memory import Filters
from whoknows.errors import Invalid
from whoknows.flows.recall import Question

router = APIRouter(route_class=Guarded)
LISTED = 20
"""Of the newest questions."""


@router.get("/knows/inspector")
async def inspector(request: Request, trace: UUID | None = None) -> Response:
    """The newest questions, and one of them opened. A trace is found by its id alone: questions are in no address."""
    door = closed_door(request, "knows", page="/knows/inspector")
    return door or await _page(request, await reader_of(request), trace)


@router.post("/knows/inspector")
async def ask(
    request: Request,
    question: Annotated[str, Form()] = "",
    floor: Annotated[str, Form()] = "",
    project: Annotated[str, Form()] = "",
) -> Response:
    """An empty floor is the calibrated one."""
    filters = Filters(project_id=project or None, or_global=bool(project))
    asked = Question(question, min_score=_floor(floor), filters=filters)
    found = await service_of(request).recall(await reader_of(request), asked)
    return RedirectResponse(f"{CONSOLE}/knows/inspector?trace={found.trace.id}", 303)


@router.post("/knows/inspector/open")
async def open_as(request: Request, trace: Annotated[UUID, Form()], reader: Annotated[str, Form()]) -> Response:
    """A question that was asked as another reader, read with its eyes again."""
    if reader in (viewer_of(request).acting, viewer_of(request).eyes):
        return RedirectResponse(f"{CONSOLE}/knows/inspector?trace={trace}", 303)
    return await _page(request, await caller_as(request, reader), trace)


async def _page(request: Request, reader: Caller, trace: UUID | None) -> Response:
    retrace = service_of(request).retrace
    found = None if trace is None else await retrace.trace(reader, TraceId(trace))
    asked = await retrace.newest(reader)
    drawn = None if found is None else picture(found.trace, found.memories)
    return render(
        request,
        "knows/inspector.html",
        trace=None if found is None else found.trace,
        picture=drawn,
        asked=asked[:LISTED],
        histogram=histogram(asked, None if drawn is None else drawn.floor),
        reasons=reasons,
    )


def _floor(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        return float(text.strip())
    except ValueError:
        raise Invalid("the floor is a number between 0 and 1", field="floor") from None
