"""Egress: which services texts are sent to, and whose texts may leave this machine."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, administers, done, show
from whoknows.console.viewer import must_choose, reader_of, service_of, viewer_of
from whoknows.domain.egress import SENDS, EgressChoice
from whoknows.domain.principal import TeamRole
from whoknows.flows.egress import BankEgress

router = APIRouter(route_class=Guarded)


@router.get("/admin/egress")
async def egress(request: Request) -> Response:
    """An administrator sees every bank's rule, without counts; others their own banks, and what was sent of what they see."""
    service, viewer = service_of(request), viewer_of(request)
    credential = viewer.session.credential
    if administers(viewer):
        banks = [BankEgress(rule, ()) for rule in await service.egress.rules(credential)]
        own = {b.rule.owner.space for b in banks}
    else:
        must_choose(viewer)
        banks = list(await service.egress.list(await reader_of(request)))
        teams = await service.administer.teams(credential)
        owned = {
            t.principal.space
            for t in teams
            for m in t.members
            if m.role is TeamRole.OWNER and m.principal in credential.acts_as
        }
        own = set[str]() if viewer.eyes is not None else owned | set(viewer.spaces)
    return show(
        request, "egress.html", banks=banks, own=own, endpoints=service.egress.endpoints, sends=SENDS,
        hosts=service.limits.redaction.hosts,
    )  # fmt: skip


@router.post("/admin/egress")
async def choose(request: Request, choice: Annotated[EgressChoice, Form()], bank: Annotated[str, Form()] = "") -> Response:
    await service_of(request).egress.forbid(acting(request), bank, choice is EgressChoice.FORBIDDEN)
    return done(request, "/egress")
