"""First steps: a team to try it with, the key for it, and the guide that leads through five minutes."""

from dataclasses import asdict
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.faults import sentence
from whoknows.console.guard import SESSION_COOKIE, Guarded, leads_to, viewer_for
from whoknows.console.guide import GUIDE_COOKIE, OPEN, READ, keep_guide, two_agents
from whoknows.console.pages.admin.overview import greeting
from whoknows.console.pages.admin.room import acting, show
from whoknows.console.pages.sign_in import keep_session
from whoknows.console.paths import CONSOLE, within
from whoknows.console.render import render
from whoknows.console.viewer import service_of, viewer_of
from whoknows.errors import Conflict, Invalid
from whoknows.flows.try_out import Cast

router = APIRouter(route_class=Guarded)
Text = Annotated[str, Form()]


@router.post("/admin/try")
async def try_out(
    request: Request, member: Text = "", first: Text = "", second: Text = "", team: Text = ""
) -> Response:  # fmt: skip
    """Makes the team, shows its key this once, and goes on with it: the browser's session is the new key's from now on."""
    service, before = service_of(request), viewer_of(request)
    cast = Cast(member.strip(), first.strip(), second.strip(), team.strip())
    try:
        made = await service.try_out.begin(acting(request), cast)
    except (Invalid, Conflict) as fault:
        told = {"words": sentence(request, fault), "field": fault.field, "detail": fault.detail, **asdict(cast)}
        return await greeting(request, status=422, refused=told)
    token, session = await service.sign_in.open(made.secret)
    session = await service.sign_in.choose(session, acting=f"agent:{cast.first}")
    await service.sign_in.close(before.token)
    request.state.viewer = await viewer_for(request, session, token)
    answer = show(request, "try_made.html", made=made, cast=cast)
    await keep_session(request, answer, SESSION_COOKIE, token, CONSOLE)
    keep_guide(answer, OPEN)
    return answer


@router.get("/admin/try")
async def tried(request: Request) -> Response:
    """Nothing stands at this address: who changes the language or loads the page again goes on from where the team is."""
    return leads_to(request, f"{CONSOLE}/admin")


@router.get("/admin/guide")
async def guide(request: Request) -> Response:
    """The steps with marks on those that have happened. Told again after each thing that is done on the page."""
    viewer = viewer_of(request)
    agents = two_agents(viewer.session)
    if agents is None:
        return Response(status_code=204)
    here = _path_of(request.headers.get("hx-current-url", ""))
    read = request.cookies.get(GUIDE_COOKIE) == READ
    progress = await service_of(request).try_out.progress(viewer.session.credential, *agents)
    return render(request, "parts/guide_steps.html", guide=agents, progress=progress, read=read, back=here)


@router.post("/admin/guide/open")
async def open_again(request: Request) -> Response:
    answer = leads_to(request, f"{CONSOLE}/memory")
    keep_guide(answer, OPEN)
    return answer


@router.post("/admin/guide/close")
async def close(request: Request) -> Response:
    answer = leads_to(request, f"{CONSOLE}/memory")
    answer.delete_cookie(GUIDE_COOKIE, path=CONSOLE)
    return answer


def _path_of(address: str) -> str:
    """What a page says that it is; nothing where that is no address of the console."""
    try:
        return within(urlsplit(address).path, "")
    except ValueError:
        return ""
