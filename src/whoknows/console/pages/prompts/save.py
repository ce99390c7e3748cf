"""Saving a prompt, one's own or a conversation's; what could not be saved stays on the page."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.faults import sentence
from whoknows.console.fields import lines
from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.pages.prompts.sheets import Sheet, sheet_of, sheets_of, typed
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, writer_of
from whoknows.domain.prompt import PromptLayer, PromptPatch
from whoknows.errors import Invalid, VersionConflict
from whoknows.flows.prompts import CONTENT

router = APIRouter(route_class=OfAccount)


@router.post("/prompts/user")
async def save_own(request: Request, version: Annotated[int, Form(ge=0)], content: Annotated[str, Form()] = "") -> Response:
    return await _saved(request, PromptLayer.USER, None, content, version)


@router.post("/prompts/conversation")
async def save_conversation(
    request: Request,
    project: Annotated[str, Form()],
    version: Annotated[int, Form(ge=0)],
    content: Annotated[str, Form()] = "",
) -> Response:
    return await _saved(request, PromptLayer.CONVERSATION, project, content, version)


async def _saved(request: Request, layer: PromptLayer, project: str | None, content: str, version: int) -> Response:
    text = lines(content)
    caller = writer_of(request)
    prompts = service_of(request).prompts
    try:
        if project is None:
            await prompts.set_user(caller, text, version=version)
        else:
            await prompts.set_controls(caller, project, PromptPatch(CONTENT, text), version=version)
    except (Invalid, VersionConflict) as fault:
        return await _refused(request, typed(await sheet_of(request, layer, project), text), fault)
    if not is_part(request):
        return RedirectResponse(f"{CONSOLE}/prompts#{layer}", 303)
    return render(request, "prompts/sheet_now.html", sheet=replace(await sheet_of(request, layer, project), saved=True))


async def _refused(request: Request, sheet: Sheet, fault: Invalid | VersionConflict) -> Response:
    """The sheet with what was typed, and beside it what there is; nothing is lost by a second try."""
    told = sentence(request, fault)
    if is_part(request):
        return render(request, "prompts/sheet_now.html", sheet=sheet, refused=told)
    sheets = await sheets_of(request)
    sheets = replace(sheets, own=sheet) if sheet.project is None else replace(sheets, conversation=sheet)
    projects = await service_of(request).projects.known(await reader_of(request))
    return render(
        request, "prompts/page.html", status=409, sheets=sheets, projects=projects, refused=told, refused_layer=sheet.layer
    )
