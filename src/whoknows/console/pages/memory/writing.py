"""Writing a memory by hand: for whom, where, and what the gate made of it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.fields import lines, one_of
from whoknows.console.findings import told
from whoknows.console.guard import Guarded, leads_to
from whoknows.console.pages.memory.items import part, place
from whoknows.console.pages.memory.moment import moment_of
from whoknows.console.pages.memory.shelves import contents
from whoknows.console.pages.memory.typed import tags_of
from whoknows.console.pages.memory.wish import Wished
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, words_of, writer_of
from whoknows.domain.memory import Category, Draft
from whoknows.domain.principal import EVERYONE, Kind, parse_space
from whoknows.errors import Invalid

router = APIRouter(route_class=Guarded)
ME = "me"
"""The audience of one's own space."""


@router.get("/memory/new")
async def form(request: Request, alone: str = "") -> Response:
    caller = writer_of(request)
    places = await service_of(request).browse.places(caller)
    alone = alone or ("" if is_part(request) else "1")
    return part(request, "memory/new.html", "memory.new", places=places, kinds=list(Category), me=ME, alone=alone)


@router.post("/memory/new")
async def write(
    request: Request,
    wish: Wished,
    content: Annotated[str, Form()] = "",
    title: Annotated[str, Form()] = "",
    category: Annotated[str, Form()] = "",
    tags: Annotated[str, Form()] = "",
    audience: Annotated[str, Form()] = ME,
    project: Annotated[str, Form()] = "",
    subject: Annotated[str, Form()] = "",
    source: Annotated[str, Form()] = "",
    quote: Annotated[str, Form()] = "",
    expires: Annotated[str, Form()] = "",
    zone: Annotated[str, Form()] = "",
    alone: Annotated[str, Form()] = "",
) -> Response:
    """``project`` is the one that the form showed; empty: a general memory."""
    caller = writer_of(request)
    layer, team, account = _audience(audience)
    draft = Draft(
        content=lines(content),
        layer=layer,
        team_id=team,
        account=account,
        category=one_of(Category, category, "category") or Category.FACT,
        title=title.strip() or None,
        tags=tags_of(tags),
        project_id=project.strip() or None,
        subject=subject.strip() or None,
        source=source.strip() or None,
        quote=lines(quote).strip() or None,
        expires_at=moment_of(expires, zone),
    )
    outcome = await service_of(request).capture(caller, draft, route="console/memory")
    if alone or not is_part(request):
        return leads_to(request, f"{place(outcome.memory.id)}?became={outcome.outcome}")
    return render(
        request,
        "memory/written.html",
        outcome=outcome,
        findings=told(outcome.findings, words_of(request)),
        **await contents(request, await reader_of(request), wish),
    )


def _audience(space: str) -> tuple[str, str | None, str | None]:
    """Layer, team, account of what the form calls ``me``, ``*``, ``team:t`` or ``member:m``."""
    if space == ME:
        return "private", None, None
    if space == EVERYONE:
        return "team", None, None
    match parse_space(space):
        case (Kind.TEAM, name):
            return "team", name, None
        case (Kind.MEMBER, name):
            return "private", None, name
        case _:
            raise Invalid("choose for whom it is", field="audience")
