"""The first page: where to begin, by what the key may do."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.guard import Guarded
from whoknows.console.paths import CONSOLE
from whoknows.console.viewer import Viewer, is_nobody, service_of, viewer_of

router = APIRouter(route_class=Guarded)


@router.get("/")
async def home(request: Request) -> Response:
    viewer = viewer_of(request)
    plays = await service_of(request).cases.own(viewer.session.credential) is not None
    return RedirectResponse(f"{CONSOLE}/{'bureau' if plays else _first(viewer)}", 303)


def _first(viewer: Viewer) -> str:
    """Who acts as nobody has no memory to read: it administers, or looks after those who do."""
    if not is_nobody(viewer):
        return "memory"
    return "admin/audit" if viewer.may("audit") and not viewer.may("admin") else "admin"
