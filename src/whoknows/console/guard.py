"""The door of every page: a live session, and for whatever changes something the session's own form."""

import hmac
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.errors import StaleForm
from whoknows.console.paths import SIGN_IN
from whoknows.console.viewer import Viewer, csrf_of, is_part, service_of
from whoknows.domain.session import Session
from whoknows.errors import TooLarge, Unauthenticated, WhoKnowsError
from whoknows.flows.authenticate import administer_as

SESSION_COOKIE = "whoknows_session"
FORM_BYTES = 512 * 1024
STREAM = "text/event-stream"
_SAFE = ("GET", "HEAD")
Handler = Callable[[Request], Awaitable[Response]]


class OpenForm(APIRoute):
    """A route for everybody. Its forms come from the console's own pages, and are no longer than others."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle: Handler = super().get_route_handler()

        async def bounded(request: Request) -> Response:
            if request.method not in _SAFE:
                own_page(request)
            return await handle(request)

        return bounded


class Guarded(APIRoute):
    """A route for those who are signed in. ``request.state.viewer`` says who that is."""

    cookie = SESSION_COOKIE
    """Which session is asked for; other doors of the house have cookies of their own."""

    def get_route_handler(self) -> Callable[[Request], Any]:
        handle: Handler = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                token, session = await self.session(request)
            except Unauthenticated:
                return self.turned_away(request)
            if request.method not in _SAFE:
                await own_form(request, token)
            await self.admit(request, session, token)
            return await handle(request)

        return guarded

    async def session(self, request: Request) -> tuple[str, Session]:
        """The token and the live session of whoever asks; Unauthenticated where there is none."""
        return await session_in(request, self.cookie)

    async def admit(self, request: Request, session: Session, token: str) -> None:
        request.state.viewer = await viewer_for(request, session, token)

    def turned_away(self, request: Request) -> Response:
        """To the page where one signs in."""
        return leads_to(request, SIGN_IN)


async def session_in(request: Request, cookie: str) -> tuple[str, Session]:
    token = request.cookies.get(cookie)
    session = await service_of(request).sign_in.find(token)
    assert token is not None
    return token, session


async def viewer_for(request: Request, session: Session, token: str) -> Viewer:
    looks = await service_of(request).looks(administer_as(session.credential))
    return Viewer(session, token, looks)


async def recognise(request: Request) -> None:
    """Where a page has no door, such as one that is not there: who looks at it, if that can be told."""
    if hasattr(request.state, "viewer"):
        return
    token = request.cookies.get(SESSION_COOKIE)
    with suppress(WhoKnowsError):
        session = await service_of(request).sign_in.find(token)
        request.state.viewer = await viewer_for(request, session, token or "")


def leads_to(request: Request, path: str) -> Response:
    """Another page: for a form of the browser, and for a part of a page that asked by itself. A stream ends instead.

    An EventSource that is answered with nothing stays away; it would follow to a page, and complain that this is no stream.
    """
    if is_part(request):
        return Response(status_code=200, headers={"HX-Redirect": path})
    if request.headers.get("accept") == STREAM:
        return Response(status_code=204)
    return RedirectResponse(path, 303)


def own_page(request: Request) -> None:
    """Raises StaleForm where the browser says that a page of somebody else sends this, TooLarge for a body beyond the limit.

    A browser that speaks plain HTTP to another machine names the origin of a form, and nothing more exact.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is None and origin is not None and not _is_here(origin, request.headers.get("host", "")):
        raise StaleForm
    if site not in (None, "same-origin", "none"):
        raise StaleForm
    announced = request.headers.get("content-length", "0")
    if not announced.isdigit() or int(announced[:20]) > FORM_BYTES or "transfer-encoding" in request.headers:
        raise TooLarge(f"a form may have {FORM_BYTES} bytes at most")


async def own_form(request: Request, token: str) -> None:
    """Raises StaleForm unless the request comes from a page of this very session, TooLarge for a body beyond the limit."""
    own_page(request)
    given = request.headers.get("x-csrf-token")
    if given is None:
        form = await request.form(max_files=0, max_part_size=FORM_BYTES)
        field = form.get("csrf")
        given = field if isinstance(field, str) else ""
    if not hmac.compare_digest(given.encode(), csrf_of(token).encode()):
        raise StaleForm


def _is_here(origin: str, host: str) -> bool:
    try:
        return urlsplit(origin).netloc.lower() == host.lower()
    except ValueError:
        return False
