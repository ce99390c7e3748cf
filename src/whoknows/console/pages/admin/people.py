"""People and agents: who there is, and for whom each agent works."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.holdings import holdings_of
from whoknows.console.pages.admin.room import acting, administers, done, show
from whoknows.console.pages.admin.tree import branches
from whoknows.console.viewer import service_of, viewer_of
from whoknows.domain.principal import AgentRole, Clearance, GateLevel
from whoknows.flows.administer import AgentPatch, NewAgent

router = APIRouter(route_class=Guarded)
Text = Annotated[str, Form()]
_CHANGED = frozenset({"role", "parent", "account", "clearance"})


@router.get("/admin/people")
async def people(request: Request) -> Response:
    service, viewer = service_of(request), viewer_of(request)
    credential = viewer.session.credential
    agents = await service.administer.agents(credential)
    members = await service.administer.members(credential)
    holdings = holdings_of(
        await service.administer.teams(credential), await service.keys.list(credential) if administers(viewer) else []
    )  # fmt: skip
    return show(
        request, "people.html", members=members, tree=branches(agents), holdings=holdings, gates=list(GateLevel),
        speaks_for=viewer.spaces,
    )  # fmt: skip


@router.post("/admin/people/member")
async def add_member(request: Request, name: Text = "", display_name: Text = "") -> Response:
    await service_of(request).administer.make_member(acting(request), name.strip(), display_name.strip() or None)
    return done(request, "/people")


@router.post("/admin/people/member/change")
async def change_member(
    request: Request,
    name: Text = "",
    display_name: Annotated[str | None, Form()] = None,
    gate: Annotated[GateLevel | None, Form()] = None,
) -> Response:
    """An administrator says what it is called; the member itself, and an administrator, how its account memory is guarded."""
    named = frozenset(n for n, given in (("name", display_name), ("gate", gate)) if given is not None)
    shown = None if display_name is None else display_name.strip() or None
    await service_of(request).administer.change_member(acting(request), name, named, shown, gate)
    return done(request, "/people")


@dataclass(frozen=True, slots=True)
class _Described:
    """An agent as the form describes it. One that has a parent is a sub-agent."""

    parent: str | None
    account: str | None
    clearance: Clearance

    @property
    def role(self) -> AgentRole:
        return AgentRole.MAIN if self.parent is None else AgentRole.SUB


def _described(parent: Text = "", account: Text = "", clearance: Annotated[Clearance, Form()] = Clearance.OPEN) -> _Described:
    return _Described(parent.strip() or None, account.strip() or None, clearance)


_Agent = Annotated[_Described, Depends(_described)]


@router.post("/admin/people/agent")
async def add_agent(request: Request, agent: _Agent, name: Text = "") -> Response:
    new = NewAgent(name.strip(), agent.role, agent.parent, agent.account, agent.clearance)
    await service_of(request).administer.make_agent(acting(request), new)
    return done(request, "/people")


@router.post("/admin/people/agent/change")
async def change_agent(request: Request, agent: _Agent, name: Text = "") -> Response:
    patch = AgentPatch(_CHANGED, agent.role, agent.parent, agent.account, agent.clearance)
    await service_of(request).administer.change_agent(acting(request), name, patch)
    return done(request, "/people")
