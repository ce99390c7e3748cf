"""Deleting agents, members and teams: the page waits before it asks for that, and says what each of them touches."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, done
from whoknows.console.viewer import service_of

router = APIRouter(route_class=Guarded)
Name = Annotated[str, Form()]


@router.post("/admin/people/agent/remove")
async def remove_agent(request: Request, name: Name = "") -> Response:
    await service_of(request).administer.remove_agent(acting(request), name)
    return done(request, "/people")


@router.post("/admin/people/member/remove")
async def remove_member(request: Request, name: Name = "") -> Response:
    await service_of(request).administer.remove_member(acting(request), name)
    return done(request, "/people")


@router.post("/admin/teams/remove")
async def remove_team(request: Request, name: Name = "") -> Response:
    await service_of(request).administer.remove_team(acting(request), name)
    return done(request, "/teams")
