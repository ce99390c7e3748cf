"""What the server of this release says of itself and its tools, as the command that stands in for it is shipped with it."""

import asyncio
import json
from typing import Any, cast

import httpx
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from whoknows import __version__
from whoknows.hooks import described
from whoknows.mcp.server import create_server

FILE = described.PLACE


def written() -> bytes:
    """The whole file, the same at every call."""
    told = asyncio.run(_told())
    return json.dumps(told, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


async def _told() -> dict[str, Any]:
    nothing: Any = None  # nothing is called, only described
    server = create_server(nothing, __version__)

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        sessions = StreamableHTTPSessionManager(server, json_response=True, stateless=True)
        async with sessions.run():
            await sessions.handle_request(scope, receive, send)

    transport = httpx.ASGITransport(cast(Any, door))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
        said = {method: await _asked(http, method) for method in ("server/discover", "tools/list")}
    return {"discovered": said["server/discover"], "listed": said["tools/list"]}


async def _asked(http: httpx.AsyncClient, method: str) -> dict[str, Any]:
    headers = {"Accept": "application/json", "Content-Type": "application/json"}
    headers |= {name: value.decode() for name, value in described.protocol(method)}
    answer = await http.post("/mcp", content=described.question(method), headers=headers)
    return answer.json()["result"]
