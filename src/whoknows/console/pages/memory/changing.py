"""Changing a memory: edit in place, put away and take back, delete."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, Response

from whoknows.console.guard import Guarded, leads_to
from whoknows.console.pages.memory.items import MEMORY, done, kept, part
from whoknows.console.pages.memory.typed import Typed, TypedOver, over
from whoknows.console.viewer import is_part, service_of, writer_of
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category, Memory
from whoknows.errors import Forbidden, VersionConflict

router = APIRouter(route_class=Guarded)


@router.get("/memory/{memory}/edit")
async def form(request: Request, memory: UUID, alone: str = "") -> Response:
    writer_of(request)
    found = await kept(request, memory)
    if not found.rights.edit:
        raise Forbidden("you can read this memory, and not change it", reason_code="may_not_change")
    alone = alone or ("" if is_part(request) else "1")
    return part(request, "memory/edit.html", "memory.edit", **_form(found.memory, over(found.memory), alone))


@router.post("/memory/{memory}/edit")
async def edit(
    request: Request, memory: UUID, typed: TypedOver, version: Annotated[int, Form()], alone: Annotated[str, Form()] = ""
) -> Response:
    """Only what was typed over is changed. Of a version that is past, nothing is: the form comes back as it was typed, beside
    the text that is there now."""
    caller = writer_of(request)
    patch = typed.patch((await kept(request, memory)).memory)
    try:
        if patch.named:
            await service_of(request).change.edit(caller, MemoryId(memory), version, patch)
    except VersionConflict:
        now = (await kept(request, memory)).memory
        alone = alone or ("" if is_part(request) else "1")
        answer = part(request, "memory/edit.html", "memory.edit", status=409, **_form(now, typed, alone, True))
        if not alone:
            answer.headers["HX-Reswap"] = "innerHTML"  # the form stays in the place of the card
        return answer
    return await done(request, memory, alone, "memory.edited")


@router.get("/memory/{memory}/card")
async def as_it_is(request: Request, memory: UUID) -> Response:
    """The card again, where nothing was changed."""
    return await done(request, memory, "", "")


@router.post("/memory/{memory}/archive")
async def archive(request: Request, memory: UUID, alone: Annotated[str, Form()] = "") -> Response:
    await service_of(request).change.archive(writer_of(request), MemoryId(memory))
    return await done(request, memory, alone, "memory.archived")


@router.post("/memory/{memory}/restore")
async def restore(request: Request, memory: UUID, alone: Annotated[str, Form()] = "") -> Response:
    await service_of(request).change.restore(writer_of(request), MemoryId(memory))
    return await done(request, memory, alone, "memory.restored")


@router.post("/memory/{memory}/delete")
async def delete(request: Request, memory: UUID, alone: Annotated[str, Form()] = "") -> Response:
    """Sent by the page ten seconds after it was asked for, unless it was undone."""
    await service_of(request).forget(writer_of(request), MemoryId(memory))
    if alone or not is_part(request):
        return leads_to(request, MEMORY)
    return HTMLResponse("")


def _form(now: Memory, typed: Typed, alone: str, conflict: bool = False) -> dict[str, Any]:
    return {"now": now, "typed": typed, "alone": alone, "conflict": conflict, "kinds": list(Category)}
