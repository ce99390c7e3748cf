"""Keys: which there are, making one, which is shown this once, and revoking one."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.admin.room import acting, administers, done, show
from whoknows.console.render import render
from whoknows.console.viewer import Viewer, is_part, service_of, viewer_of
from whoknows.domain.credential import Credential, Permission
from whoknows.domain.ids import CredentialId
from whoknows.errors import Invalid
from whoknows.rest.parameters import KeyRef
from whoknows.service import Service

router = APIRouter(route_class=Guarded)
ENDS = ("", "1", "7", "30", "90", "365")
"""Days that a key may last; the empty one is for good."""


@router.get("/admin/keys")
async def keys(request: Request) -> Response:
    viewer, now = viewer_of(request), datetime.now(UTC)
    credential = viewer.session.credential
    found = await service_of(request).keys.list(credential)
    live = [k for k in found if _lives(k, now)]
    candidates = await _candidates(service_of(request), viewer, found)
    return show(
        request, "keys.html", live=live, ended=[k for k in found if not _lives(k, now)], candidates=candidates,
        permissions=[p for p in Permission if p in credential.permissions], ends=ENDS, mine=credential.id,
    )  # fmt: skip


@router.post("/admin/keys")
async def make(
    request: Request,
    acts_as: Annotated[list[str], Form()] = [],  # noqa: B006 - FastAPI copies it
    permissions: Annotated[list[Permission], Form()] = [],  # noqa: B006 - FastAPI copies it
    days: Annotated[str, Form()] = "",
) -> Response:
    """Answers the secret, and keeps it nowhere: a part of the page, or a page that its address does not lead back to."""
    if days not in ENDS:
        raise Invalid("this is none of the times that are offered", field="days")
    ends = datetime.now(UTC) + timedelta(days=int(days)) if days else None
    made = await service_of(request).keys.make(acting(request), acts_as, permissions, None, ends)
    if is_part(request):
        return render(request, "admin/key_once.html", made=made, acts_as=acts_as)
    return show(request, "key_made.html", made=made, acts_as=acts_as)


@router.post("/admin/keys/{key_id}/revoke")
async def revoke(request: Request, key_id: KeyRef) -> Response:
    await service_of(request).keys.revoke(acting(request), CredentialId(key_id))
    return done(request, "/keys")


async def _candidates(service: Service, viewer: Viewer, keys: Sequence[Credential]) -> list[tuple[str, bool]]:
    """Whom a new key may act as, and whether this key may make one for it (rules §1)."""
    credential = viewer.session.credential
    own = set(viewer.spaces)
    if not administers(viewer):
        return [(space, True) for space in viewer.spaces]
    known = [
        p.principal.space for p in (*await service.administer.members(credential), *await service.administer.agents(credential))
    ]
    keyed = {p.space for k in keys for p in k.acts_as}
    free = viewer.may("impersonate")
    return [(space, free or space in own or space not in keyed) for space in known]


def _lives(key: Credential, now: datetime) -> bool:
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > now)
