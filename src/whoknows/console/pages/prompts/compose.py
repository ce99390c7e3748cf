"""The composed result: the very text that a model gets for a message, and where each part of it comes from."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.fields import lines
from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.pages.prompts.segments import causes_of, segments_of
from whoknows.console.render import part_or_page, render
from whoknows.console.viewer import facts_of, reader_of, service_of
from whoknows.flows.limits import is_blank

router = APIRouter(route_class=OfAccount)


@router.post("/prompts/composed")
async def composed(
    request: Request,
    project: Annotated[str, Form()],
    message: Annotated[str, Form()] = "",
    conversation: Annotated[str, Form()] = "",
) -> Response:
    """Put together by what a conversation calls, with the same message; looking uses nothing."""
    said = lines(message)
    shown = None
    if not is_blank(said):
        bundle = await service_of(request).assemble_context(await reader_of(request), project, said, conversation or None)
        shown = {"bundle": bundle, "segments": segments_of(bundle), "dropped": causes_of(bundle.dropped)}
    page = part_or_page(request, "prompts/composed")
    return render(request, page, project=project, message=said, shown=shown, speaks=facts_of(request).model)
