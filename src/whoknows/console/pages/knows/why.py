"""The rule behind a cell, and all that is known of who knows one memory."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console import reasons
from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.guide import reason_read
from whoknows.console.pages.knows.room import mark
from whoknows.console.render import render
from whoknows.console.viewer import reader_of, service_of, viewer_of
from whoknows.domain.ids import MemoryId

router = APIRouter(route_class=Guarded)


@router.post("/knows/why")
async def why(request: Request, memory: Annotated[UUID, Form()], reader: Annotated[str, Form()]) -> Response:
    """One cell in words."""
    cell = await service_of(request).survey.cell(await reader_of(request), MemoryId(memory), reader)
    answer = render(request, "knows/why.html", cell=cell, memory=cell.memory, verdict=cell.verdict, reasons=reasons)
    return reason_read(request, answer)


@router.post("/knows/reader")
async def reader(request: Request, reader: Annotated[str, Form()]) -> Response:
    """One column: who it is, and its eyes for those who may use them. It tells no more than the head that it is opened from."""
    await reader_of(request)
    return render(request, "knows/reader.html", space=reader, inspects=viewer_of(request).may("inspect"))


@router.get("/knows/of/{memory}")
async def everyone(request: Request, memory: UUID) -> Response:
    """All readers of one memory, each with its reason."""
    door = closed_door(request, "knows", page="/knows")
    if door is not None:
        return door
    known = await service_of(request).survey.everyone(await reader_of(request), MemoryId(memory))
    return reason_read(request, render(request, "knows/of.html", known=known, memory=known.memory, reasons=reasons, mark=mark))
