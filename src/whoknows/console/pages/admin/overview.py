"""The first page of the administration: what this key may do, and where to begin."""

from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.guide import two_agents
from whoknows.console.pages.admin.room import show
from whoknows.console.viewer import is_nobody, service_of, viewer_of
from whoknows.domain.credential import Permission
from whoknows.domain.principal import EVERYONE, Team

router = APIRouter(route_class=Guarded)


@router.get("/admin")
async def overview(request: Request) -> Response:
    return await greeting(request)


async def greeting(request: Request, *, status: int = 200, refused: Mapping[str, str | None] | None = None) -> Response:
    """``refused``: why the team to try with was not made, and what had been typed."""
    viewer = viewer_of(request)
    credential = viewer.session.credential
    teams: Sequence[Team] = await service_of(request).administer.teams(credential) if credential.acts_as else []
    mine = [
        (t.principal.space, m.principal.space, m.role)
        for t in teams
        if t.principal.name != EVERYONE
        for m in t.members
        if m.principal in credential.acts_as
    ]
    return show(
        request, "overview.html", status=status, key=credential, permissions=list(Permission), mine=mine, refused=refused,
        newcomer=is_nobody(viewer), guidable=two_agents(viewer.session) is not None,
    )  # fmt: skip
