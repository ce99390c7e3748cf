"""What a room shows to a key that sees nothing there yet: because it acts as nobody, or has not said as whom."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from whoknows.console.render import render
from whoknows.console.viewer import is_nobody, viewer_of


def closed_door(request: Request, room: str, **values: Any) -> Response | None:
    """The page that says what to do instead, ``room``'s own ``nobody`` or ``choose``; None where the room is open."""
    viewer = viewer_of(request)
    if is_nobody(viewer):
        return render(request, f"{room}/nobody.html", **values)
    if viewer.acting is None and viewer.eyes is None:
        return render(request, f"{room}/choose.html", **values)
    return None
