"""The audit trail: who did what to what, when, and with which key; never a text. Newest first."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import show
from whoknows.console.render import render
from whoknows.console.viewer import is_part, service_of, viewer_of
from whoknows.domain.principal import Principal
from whoknows.rest.parameters import Cursor

router = APIRouter(route_class=Guarded)
_A_PAGE = 50


@router.get("/admin/audit")
async def audit(request: Request, after: Cursor = None) -> Response:
    """``after`` is the id of an entry: those before it in time."""
    service, credential = service_of(request), viewer_of(request).session.credential
    page = await service.oversee.audit(credential, _A_PAGE, after)
    keys: dict[str, tuple[Principal, ...]] = {str(k.id): k.acts_as for k in await service.keys.list(credential)}
    values: dict[str, Any] = {"entries": page.items, "next": page.next_cursor, "keys": keys, "mine": str(credential.id)}
    if is_part(request):
        return render(request, "admin/audit_entries.html", **values)
    return show(request, "audit.html", first=after is None, **values)
