"""The MCP server: the list of its tools, and the call of one. It keeps nothing between two calls."""

import logging
from collections.abc import Mapping
from typing import Any

from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams, TextContent
from pydantic_core import to_jsonable_python
from starlette.requests import Request

from whoknows.errors import WhoKnowsError
from whoknows.mcp.asking import Asked
from whoknows.mcp.described import Context, described
from whoknows.mcp.endpoint import refused
from whoknows.mcp.faults import failed
from whoknows.mcp.tool import Answer, unknown
from whoknows.mcp.tools import TOOLS
from whoknows.rest.edge import where
from whoknows.rest.errors import Internal
from whoknows.service import Service

_LOG = logging.getLogger("whoknows.mcp")


def create_server(service: Service, version: str) -> Server[Any]:
    async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
        assert context.request is not None  # no other requests than those of HTTP come here
        return await _called(service, context.request, params.name, params.arguments or {})

    return described(version, list_tools, call_tool, _input_schema)


async def list_tools(_: Context, params: PaginatedRequestParams | None) -> ListToolsResult:  # noqa: ARG001
    """All of them, for whoever has a key: what a key may do with one, the call says."""
    return ListToolsResult(tools=[tool.listed for tool in TOOLS.values()])


async def _called(service: Service, request: Request, name: str, arguments: Mapping[str, Any]) -> CallToolResult:
    busy = refused(request)
    if busy is not None:
        return failed(busy)
    try:
        if name not in TOOLS:
            raise unknown(name, tuple(TOOLS))
        return _result(await TOOLS[name](Asked(service, request, name), arguments))
    except WhoKnowsError as fault:
        return failed(fault)
    except Exception as fault:
        _LOG.error("request %s, tool %s failed: %s", request.state.request_id, name, where(fault))
        return failed(Internal())


def _result(answer: Answer) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=answer.text)], structured_content=to_jsonable_python(answer.told))


def _input_schema(name: str) -> Mapping[str, Any] | None:
    return TOOLS[name].listed.input_schema if name in TOOLS else None
