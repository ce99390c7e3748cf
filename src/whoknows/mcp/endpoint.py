"""The endpoint `/mcp`: what a request must show before the protocol hears it. It lives in the application of REST."""

from contextlib import AsyncExitStack
from typing import Any, cast
from urllib.parse import urlsplit

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import PARSE_ERROR, ErrorData, JSONRPCError
from pydantic_core import from_json
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from whoknows.errors import Busy, Forbidden
from whoknows.flows.room import Room
from whoknows.rest.auth import secret_in, service_of
from whoknows.rest.edge import LOOPBACK_HOSTS
from whoknows.rest.errors import MethodNotAllowed, problem
from whoknows.rest.strict import StrictRequest

PATH = "/mcp"
_UNREADABLE = JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=PARSE_ERROR, message="the body is not JSON in UTF-8"))


class Endpoint:
    """Streamable HTTP without sessions, for every version of the protocol that the SDK speaks.

    Each request is served whole: nothing of it is left when it is answered. Nothing is ever sent unasked, so there is no
    stream to GET and no session to DELETE: 405, as the protocol has it. Calls of tools have a ``room`` of their own, so that a
    crowd of them leaves something for everyone else.
    """

    def __init__(self, server: Server[Any], body_bytes: int, room: Room) -> None:
        self._server = server
        self._body_bytes = body_bytes
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = StrictRequest(scope, receive)
        _must_be_of_here(request)
        request.state.credential = await service_of(request).authenticate(secret_in(request.headers))
        if request.method != "POST":
            await problem(MethodNotAllowed(), request.state.request_id, {"Allow": "POST"})(scope, receive, send)
            return
        body = await request.body()
        try:
            message = _message(body)
        except ValueError:
            await Response(_UNREADABLE.model_dump_json(by_alias=True), 400, media_type="application/json")(scope, receive, send)
            return
        if not _calls(message):
            await self._served(scope, body, receive, send)
            return
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(self._room.place())
            except Busy as fault:
                refuse(request, fault)
            if await request.is_disconnected():  # whoever hung up while waiting wants nothing done any more
                raise ClientDisconnect
            await self._served(scope, body, receive, send)

    async def _served(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        # One for each request, and not one for the application: what it starts, it ends with this request.
        sessions = StreamableHTTPSessionManager(
            self._server, json_response=True, stateless=True, max_request_body_size=self._body_bytes
        )
        async with sessions.run():
            await sessions.handle_request(scope, _again(body, receive), send)


def _must_be_of_here(request: Request) -> None:
    """A page in a browser names where it comes from: one of a stranger's gets nothing, whatever key it has."""
    origin = request.headers.get("origin")
    if origin is None:
        return
    try:
        named = urlsplit(origin)
        own = named.hostname in LOOPBACK_HOSTS or (named.hostname is not None and named.netloc == request.headers.get("host"))
    except ValueError:  # no address at all
        own = False
    if not own:
        raise Forbidden("this server does not answer pages of another origin", reason_code="origin_not_allowed")


def refuse(request: Request, fault: Busy) -> None:
    """The call is answered with ``fault``, in the words of the protocol."""
    request.state.refused = fault


def refused(request: Request) -> Busy | None:
    return getattr(request.state, "refused", None)


def _message(body: bytes) -> Any:
    # Stricter than the protocol's own reader, which takes NaN and halves of characters: no answer could hold them.
    return from_json(body, allow_inf_nan=False, cache_strings="keys")


def _calls(message: Any) -> bool:
    """Whether a tool is called, or might be: what a server says of itself costs nothing, and waits for nobody."""
    return not isinstance(message, dict) or cast(dict[str, Any], message).get("method") == "tools/call"


def _again(body: bytes, receive: Receive) -> Receive:
    """The body that was read already, and then what ``receive`` has to say."""
    told = False

    async def read() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return read
