"""Teams: who is on them in which role, what their gate asks for, and whether their memories may be given to sub-agents."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, administers, done, show
from whoknows.console.viewer import service_of, viewer_of
from whoknows.domain.principal import EVERYONE, GateLevel, TeamRole

router = APIRouter(route_class=Guarded)
Text = Annotated[str, Form()]


@router.get("/admin/teams")
async def teams(request: Request) -> Response:
    service, viewer = service_of(request), viewer_of(request)
    credential = viewer.session.credential
    found = sorted(await service.administer.teams(credential), key=lambda t: (t.principal.name == EVERYONE, t.principal.name))
    candidates: list[str] = []
    if administers(viewer):
        agents, members = await service.administer.agents(credential), await service.administer.members(credential)
        candidates = [p.principal.space for p in (*members, *agents)]
    return show(
        request, "teams.html", teams=found, candidates=candidates, gates=list(GateLevel), roles=list(TeamRole),
        everyone=EVERYONE,
    )  # fmt: skip


@router.post("/admin/teams")
async def add(
    request: Request,
    name: Text = "",
    display_name: Text = "",
    gate: Annotated[GateLevel, Form()] = GateLevel.OPEN,
    shares: Annotated[bool, Form()] = False,
) -> Response:
    await service_of(request).administer.make_team(acting(request), name.strip(), display_name.strip() or None, gate, shares)
    return done(request, "/teams")


@router.post("/admin/teams/change")
async def change(
    request: Request,
    gate: Annotated[GateLevel, Form()],
    name: Text = "",
    display_name: Text = "",
    shares: Annotated[bool, Form()] = False,
) -> Response:
    """A box that is not ticked is not sent: then sub-agents are given nothing of the team any more."""
    shown = display_name.strip() or name
    await service_of(request).administer.change_team(acting(request), name, shown, gate, shares)
    return done(request, "/teams")


@router.post("/admin/teams/join")
async def join(
    request: Request,
    role: Annotated[TeamRole, Form()],
    name: Text = "",
    principal: Text = "",
) -> Response:
    """Onto the team, or into another role there."""
    await service_of(request).administer.put_membership(acting(request), name, principal.strip(), role)
    return done(request, "/teams")


@router.post("/admin/teams/leave")
async def leave(request: Request, name: Text = "", principal: Text = "") -> Response:
    await service_of(request).administer.drop_membership(acting(request), name, principal)
    return done(request, "/teams")
