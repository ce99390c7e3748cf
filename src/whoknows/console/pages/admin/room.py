"""What the pages of the administration share: their tabs, who may change something here, and where a form leads."""

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from whoknows.console.guard import leads_to
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import Viewer, viewer_of, words_of
from whoknows.domain.credential import Credential
from whoknows.flows.sign_in import own_eyes

ADMIN = f"{CONSOLE}/admin"
_OF_SOMEBODY = ("people", "teams", "projects", "egress")
"""Tabs that have nothing on them for a key that neither administers nor acts as anybody."""


def show(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page of the room. It finds ``tabs``, and ``administers``: whether to offer what needs ``admin``."""
    viewer = viewer_of(request)
    return render(
        request, f"admin/{template}", status=status, tabs=tabs(request, viewer), administers=administers(viewer), **values
    )  # fmt: skip


def administers(viewer: Viewer) -> bool:
    """With the eyes of another one only reads, also here."""
    return viewer.may("admin") and viewer.eyes is None


def acting(request: Request) -> Credential:
    """The key that does it; what it lacks, the flow says. With the eyes of another, nothing is done: Forbidden."""
    return own_eyes(viewer_of(request).session).credential


def done(request: Request, page: str) -> Response:
    """Back to ``page`` as it is now; where the form stood on it, it stays where it was scrolled to."""
    path = f"{ADMIN}{page}"
    current = request.headers.get("hx-current-url", "").partition("?")[0].partition("#")[0]
    if current.endswith(path):
        return Response(status_code=200, headers={"HX-Refresh": "true"})
    return leads_to(request, path)


def tabs(request: Request, viewer: Viewer) -> list[tuple[str, str]]:
    """(address, words) of the pages that have something for this key."""
    t = words_of(request)
    known = ("", "prompt", "people", "teams", "projects", "keys", "audit", "egress")
    somebody = viewer.may("admin") or bool(viewer.spaces)
    shown = [name for name in known if somebody or name not in _OF_SOMEBODY]
    return [(f"{ADMIN}/{name}" if name else ADMIN, t(f"admin.tab_{name or 'overview'}")) for name in shown]
