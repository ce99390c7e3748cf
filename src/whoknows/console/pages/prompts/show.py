"""The page of the prompts, and what each was before."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.pages.prompts.sheets import sheet_of, sheets_of
from whoknows.console.render import part_or_page, render
from whoknows.console.viewer import must_choose, reader_of, service_of, viewer_of
from whoknows.domain.prompt import Prompt, PromptLayer
from whoknows.errors import Invalid
from whoknows.ports import Page

VERSIONS = 10
router = APIRouter(route_class=OfAccount)


@router.get("/prompts")
async def show(request: Request) -> Response:
    must_choose(viewer_of(request))
    sheets = await sheets_of(request)
    projects = () if sheets.own is None else await service_of(request).projects.known(await reader_of(request))
    return render(request, "prompts/page.html", sheets=sheets, projects=projects)


@router.post("/prompts/history")
async def history(
    request: Request,
    layer: Annotated[str, Form()],
    project: Annotated[str, Form()] = "",
    cursor: Annotated[str, Form()] = "",
) -> Response:
    """The versions of a layer, newest first: who saved what, and when."""
    wanted = layer_named(layer)
    versions = await _versions(request, wanted, project or None, cursor or None)
    now = None if wanted is PromptLayer.GLOBAL else await sheet_of(request, wanted, project or None)
    page = part_or_page(request, "prompts/history")
    return render(request, page, versions=versions, layer=wanted, project=project, now=now)


async def _versions(request: Request, layer: PromptLayer, project: str | None, cursor: str | None) -> Page[Prompt]:
    prompts = service_of(request).prompts
    match layer:
        case PromptLayer.GLOBAL:
            return await prompts.policy_history(viewer_of(request).session.credential, VERSIONS, cursor)
        case PromptLayer.USER:
            return await prompts.history(await reader_of(request), None, VERSIONS, cursor)
        case PromptLayer.CONVERSATION:
            if project is None:
                raise Invalid("choose a project first", field="project")
            return await prompts.history(await reader_of(request), project, VERSIONS, cursor)


def layer_named(text: str) -> PromptLayer:
    if text not in set(PromptLayer):
        raise Invalid(f"this is none of {', '.join(PromptLayer)}", field="layer")
    return PromptLayer(text)
