"""The door of pages that are about an account: who has none reads why, and what to do, instead of an error."""

from collections.abc import Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.render import render
from whoknows.console.viewer import is_part, service_of, viewer_of
from whoknows.domain.credential import Caller
from whoknows.domain.principal import Kind, Principal
from whoknows.errors import AgentRequired, Forbidden, WhoKnowsError

_NONE = ("no_account", "permission_missing")
_AGENTS = 20
"""As many of a key's agents are looked at for one that works for a member."""


class OfAccount(Guarded):
    """A route about the account behind the key: the member's own, or the one that a main agent works for."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle = super().get_route_handler()

        async def explained(request: Request) -> Response:
            try:
                return await handle(request)
            except (AgentRequired, Forbidden) as fault:
                if request.method != "GET" or is_part(request) or not is_without_account(fault):
                    raise
                return render(request, "chat/nobody.html", choices=await _choices(request, fault), room=self.path.split("/")[1])

        return explained


def is_without_account(fault: WhoKnowsError) -> bool:
    return isinstance(fault, AgentRequired) or (isinstance(fault, Forbidden) and fault.reason_code in _NONE)


async def _choices(request: Request, fault: WhoKnowsError) -> list[str]:
    """Whom a key for several may act as, to have an account: nobody is offered who has none either."""
    viewer = viewer_of(request)
    several = isinstance(fault, AgentRequired) or len(viewer.spaces) > 1
    if not several or viewer.eyes is not None:
        return []
    others = [p for p in viewer.session.credential.acts_as if p.space != viewer.acting]
    agents = [p for p in others if p.kind is Kind.AGENT][:_AGENTS]
    return [p.space for p in others if p.kind is Kind.MEMBER or (p in agents and await _has_account(request, p))]


async def _has_account(request: Request, agent: Principal) -> bool:
    credential = viewer_of(request).session.credential
    try:
        await service_of(request).conversations.list(Caller(credential, agent, credential.task_id), None, 1, None)
    except Forbidden as fault:
        if not is_without_account(fault):
            raise
        return False
    return True
