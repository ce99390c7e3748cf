"""The same tools over standard input and output: each call is handed on to a server, which alone knows what it means."""

import itertools
from contextlib import suppress
from typing import Any, cast

import httpx
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams
from pydantic import ValidationError

from whoknows.client.errors import ApiError, ServerUnreachable, error_of
from whoknows.mcp.described import Context, described
from whoknows.mcp.faults import error

TIMEOUT = httpx.Timeout(30.0, connect=2.0)
"""Seconds. A program waits for a tool longer than for a hook, and still has a person before it."""
_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}
"""Any version that needs no handshake: what the program speaks to this process is another matter."""


async def serve_stdio(client: httpx.AsyncClient, version: str) -> None:
    """Until the program closes its side. ``client`` has the server's address and the caller's key."""
    remote = Remote(client)
    server = described(version, remote.list_tools, remote.call_tool)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


class Remote:
    """The endpoint of a server."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client = client
        self._numbers = itertools.count(1)

    async def list_tools(self, context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        """The server's own list; that of this release while it cannot be asked, so that a program knows them at its start."""
        with suppress(ApiError, MCPError, ValidationError):
            return ListToolsResult.model_validate(await self._ask("tools/list", {}))
        from whoknows.mcp.server import list_tools  # noqa: PLC0415 - takes a second, which no program need wait for otherwise

        return await list_tools(context, params)

    async def call_tool(self, _: Context, params: CallToolRequestParams) -> CallToolResult:
        """What the server says. Where it cannot be asked, an error that a model understands; the program goes on."""
        try:
            told = await self._ask("tools/call", {"name": params.name, "arguments": params.arguments or {}})
            return CallToolResult.model_validate(told)
        except ApiError as fault:
            return error(fault.code, fault.detail, fault.field, dict(fault.problem))
        except ValidationError:
            return error("no_answer_of_a_tool", f"what answers at {self._client.base_url} is no server of WhoKnows")

    async def _ask(self, method: str, params: dict[str, Any]) -> Any:
        asked = {"jsonrpc": "2.0", "id": next(self._numbers), "method": method, "params": params}
        try:
            response = await self._client.post("/mcp", json=asked, headers=_HEADERS)
        except httpx.HTTPError as fault:
            raise ServerUnreachable(str(self._client.base_url), fault) from fault
        told = _object(response)
        if "result" in told:
            return told["result"]
        match told.get("error"):
            case {"code": int(code), "message": str(message)}:
                raise MCPError(code=code, message=message)
            case _:
                raise error_of(response)


def _object(response: httpx.Response) -> dict[str, Any]:
    try:
        told: Any = response.json()
    except (ValueError, RecursionError):
        return {}
    return cast(dict[str, Any], told) if isinstance(told, dict) else {}
