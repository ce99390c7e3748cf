"""The administrator's global prompt: everybody reads it, it stands before every other, and administrators alone change it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.fields import lines
from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, done, show
from whoknows.console.render import render
from whoknows.console.viewer import service_of, viewer_of

router = APIRouter(route_class=Guarded)
_EARLIER = 10


@router.get("/admin/prompt")
async def prompt(request: Request) -> Response:
    service, credential = service_of(request), viewer_of(request).session.credential
    now = await service.prompts.policy(credential)
    history = await service.prompts.policy_history(credential, _EARLIER, None)
    earlier = [p for p in history.items if p.version != now.version]
    tokens = service.tokenizer.count(now.content)
    return show(
        request, "prompt.html", now=now, earlier=earlier, tokens=tokens, limit=service.limits.context_limit,
        counter=service.tokenizer.name,
    )  # fmt: skip


@router.post("/admin/prompt")
async def save(
    request: Request, content: Annotated[str, Form()] = "", version: Annotated[int | None, Form(ge=0, le=2**31 - 1)] = None
) -> Response:
    """``version`` is the one that was read: of two who save at once, one is told."""
    await service_of(request).prompts.set_policy(acting(request), _typed(content), version)
    return done(request, "/prompt")


@router.post("/admin/prompt/size")
async def size(request: Request, content: Annotated[str, Form()] = "") -> Response:
    """How many tokens a text has while it is typed."""
    service = service_of(request)
    return render(
        request, "admin/size.html", tokens=service.tokenizer.count(_typed(content)), limit=service.limits.context_limit
    )  # fmt: skip


def _typed(text: str) -> str:
    """Without the empty lines at its end."""
    return lines(text).rstrip("\n")
