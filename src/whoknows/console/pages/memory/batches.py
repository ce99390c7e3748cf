"""Distillations: what was taken from conversations by itself, batch by batch, to look through and to undo."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded, leads_to
from whoknows.console.pages.memory.items import MEMORY
from whoknows.console.render import render
from whoknows.console.viewer import reader_of, service_of, viewer_of, writer_of
from whoknows.domain.distillation import BatchId
from whoknows.errors import Invalid

PAGE = 50
BATCHES = f"{MEMORY}/batches"
router = APIRouter(route_class=Guarded)


@router.get("/memory/batches")
async def page(request: Request, cursor: str | None = None) -> Response:
    door = closed_door(request, "memory")
    if door is not None:
        return door
    viewer, caller = viewer_of(request), await reader_of(request)
    service = service_of(request)
    if (await service.browse.places(caller)).account is None:
        return render(request, "memory/batches.html", batches=None, settings=None)
    return render(
        request,
        "memory/batches.html",
        batches=await service.distillations.list(caller, PAGE, cursor),
        settings=await service.distillations.settings(caller, viewer.project),
    )


@router.get("/memory/batches/{batch}")
async def look_through(request: Request, batch: UUID) -> Response:
    caller = await reader_of(request)
    service = service_of(request)
    made, told = await service.distillations.get(caller, BatchId(batch))
    kept = await service.browse.these(caller, [k.memory.memory for k in told.kept])
    return render(request, "memory/batch.html", made=made, told=told, kept={k.memory.id: k for k in kept})


@router.post("/memory/batches/{batch}/undo")
async def undo(request: Request, batch: UUID) -> Response:
    await service_of(request).distillations.undo(writer_of(request), BatchId(batch))
    return leads_to(request, f"{BATCHES}/{batch}")


@router.post("/memory/batches/automatic")
async def automatic(request: Request, automatic: Annotated[str, Form()], project: Annotated[str, Form()] = "") -> Response:
    """For the project that the form showed, or for the account; ``inherit`` takes the project's own word back."""
    chosen = {"on": True, "off": False, "inherit": None}
    if automatic not in chosen:
        raise Invalid("on, off or inherit", field="automatic")
    await service_of(request).distillations.set(writer_of(request), project or None, chosen[automatic])
    return leads_to(request, BATCHES)
