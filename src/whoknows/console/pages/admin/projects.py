"""Projects: which team's bank the facts of each one go to, and which Git remotes are its own. Who writes never picks one."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, administers, done, show
from whoknows.console.viewer import must_choose, reader_of, service_of, viewer_of
from whoknows.flows.authenticate import administer_as

router = APIRouter(route_class=Guarded)


@router.get("/admin/projects")
async def projects(request: Request) -> Response:
    service, viewer = service_of(request), viewer_of(request)
    credential = viewer.session.credential
    teams: list[str] = []
    if administers(viewer):
        caller = administer_as(credential)
        teams = [t.principal.name for t in await service.administer.teams(credential)]
    else:
        must_choose(viewer)
        caller = await reader_of(request)
    return show(request, "projects.html", routings=await service.banks.routings(caller), teams=teams)


@router.post("/admin/projects")
async def route(
    request: Request,
    project: Annotated[str, Form()] = "",
    team: Annotated[str, Form()] = "",
    remotes: Annotated[str, Form()] = "",
) -> Response:
    """``remotes``: one in a line. No team: its facts go to no team any more."""
    given = [line.strip() for line in remotes.splitlines() if line.strip()]
    await service_of(request).banks.route(acting(request), project.strip(), team or None, given)
    return done(request, "/projects")
