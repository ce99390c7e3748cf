"""What one changes from a chat: model and effort, what was kept of a turn, and the conversation itself."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.fields import one_of
from whoknows.console.guard import leads_to
from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.pages.chat.room import controls_of
from whoknows.console.paths import CONSOLE, within
from whoknows.console.render import render
from whoknows.console.viewer import is_part, service_of, writer_of
from whoknows.domain.conversation import ConversationId
from whoknows.domain.distillation import BatchId
from whoknows.domain.prompt import Effort, PromptPatch

router = APIRouter(route_class=OfAccount)
Back = Annotated[str, Form()]


@router.post("/chat/controls")
async def control(
    request: Request,
    project: Annotated[str, Form()],
    model: Annotated[str | None, Form()] = None,
    effort: Annotated[str | None, Form()] = None,
    back: Back = "",
) -> Response:
    """Model or effort of the account's conversations in a project. Empty: what the installation has."""
    caller = writer_of(request)
    named = frozenset(name for name, given in (("model", model), ("effort", effort)) if given is not None)
    patch = PromptPatch(named, model=(model or "").strip() or None, effort=one_of(Effort, effort or "", "effort"))
    await service_of(request).prompts.set_controls(caller, project, patch)
    if is_part(request):
        return render(request, "chat/controls.html", controls=await controls_of(request, caller, project))
    return RedirectResponse(within(back, f"{CONSOLE}/chat"), 303)


@router.post("/chat/undo")
async def undo(request: Request, batch: Annotated[UUID, Form()], back: Back = "") -> Response:
    """What a turn became goes again, and what that had overturned is current."""
    undone = await service_of(request).distillations.undo(writer_of(request), BatchId(batch))
    if is_part(request):
        return render(request, "chat/undone.html", undone=undone)
    return RedirectResponse(within(back, f"{CONSOLE}/chat"), 303)


@router.post("/chat/{conversation}/delete")
async def delete(request: Request, conversation: UUID, open_now: Annotated[str, Form()] = "") -> Response:
    await service_of(request).conversations.forget(writer_of(request), ConversationId(conversation))
    if is_part(request) and open_now != str(conversation):
        return Response(status_code=200)
    return leads_to(request, f"{CONSOLE}/chat")
