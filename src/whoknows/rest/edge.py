"""What every request passes first: its number, the host it names, its key; and the last net for what goes wrong."""

import logging
import time
import traceback
from collections.abc import Collection
from urllib.parse import quote, unquote
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from whoknows.errors import WhoKnowsError
from whoknows.gate.redact import redact
from whoknows.rest.auth import API, secret_in
from whoknows.rest.errors import HostNotAllowed, Internal, problem
from whoknows.service import Service

LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
PROBES = ("/health", "/ready")
_LONGEST_PATH = 2000
"""Characters of a path that are logged."""
_LOG = logging.getLogger("whoknows.rest")


class Edge:
    """ASGI middleware around the whole application.

    Routing and the demand for a key look at the same string, the path as it was sent: a name in a path keeps its
    ``%2F``, and no second spelling of a path gets round the key.
    """

    def __init__(self, app: ASGIApp, service: Service, allowed_hosts: Collection[str]) -> None:
        self._app = app
        self._service = service
        self._hosts = frozenset(h.strip("[]").lower() for h in allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        scope["path"] = _sent_path(scope)
        began = time.perf_counter()
        status = 0

        async def numbered(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=message.setdefault("headers", []))
                headers["X-Request-Id"] = request_id
                headers["X-Content-Type-Options"] = "nosniff"
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._admit(scope)
            await self._app(scope, receive, numbered)
        except WhoKnowsError as fault:
            if not status:
                await problem(fault, request_id)(scope, receive, numbered)
        except ClientDisconnect:
            pass  # nobody is there to answer
        except Exception as fault:
            _LOG.error("request %s failed: %s", request_id, where(fault))
            if not status:
                await problem(Internal(), request_id)(scope, receive, numbered)
        finally:
            took = 1000 * (time.perf_counter() - began)
            # The path alone: a query may hold a question. Names in a path are redacted as texts are.
            _LOG.info("%s %s %s %d in %.1f ms", request_id, scope["method"], _told_path(scope["path"]), status, took)

    async def _admit(self, scope: Scope) -> None:
        path = scope["path"]
        headers = Headers(scope=scope)
        # Probes reach a server under any address. The others are guarded against DNS rebinding.
        if path not in PROBES and "*" not in self._hosts and _host(headers.get("host", "")) not in self._hosts:
            raise HostNotAllowed
        if path == API or path.startswith(API + "/"):
            scope["state"]["credential"] = await self._service.authenticate(secret_in(headers))


def where(fault: BaseException) -> str:
    """What kind of error stands where, and behind it its causes; without any message, which may hold a text."""
    frames = [f"{f.filename.rpartition('/')[2]}:{f.lineno} {f.name}" for f in traceback.extract_tb(fault.__traceback__)[-6:]]
    told = f"{type(fault).__name__} at {' < '.join(reversed(frames))}"
    behind = fault.__cause__ or fault.__context__
    return told if behind is None else f"{told}; because of {where(behind)}"


def _sent_path(scope: Scope) -> str:
    raw = scope.get("raw_path")
    return scope["path"] if raw is None else raw.split(b"?", 1)[0].decode("latin-1")


def _told_path(path: str) -> str:
    """As it was sent, where nothing in it is secret; control characters stay encoded."""
    plain = unquote(path[:_LONGEST_PATH], errors="replace")
    clean = redact(plain).text
    return path[:_LONGEST_PATH] if clean == plain else quote(clean, safe="/[]:")


def _host(header: str) -> str:
    """The name in a Host header, without its port and an IPv6 address's brackets."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].lower()
