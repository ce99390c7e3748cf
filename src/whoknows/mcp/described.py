"""What a server of these tools says of itself, whoever lists them and whoever does what is called."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from whoknows.mcp.instructions import INSTRUCTIONS

NAME = "whoknows"
_FRESH = CacheHint(ttl_ms=300_000)
"""What a server says of itself changes with its release, and with nothing else."""

Context = ServerRequestContext[Any, Any]
Lists = Callable[[Context, PaginatedRequestParams | None], Awaitable[ListToolsResult]]
Calls = Callable[[Context, CallToolRequestParams], Awaitable[CallToolResult]]
Schemas = Callable[[str], Mapping[str, Any] | None]


def described(version: str, list_tools: Lists, call_tool: Calls, input_schema: Schemas | None = None) -> Server[Any]:
    """The low-level server of the SDK: the one above it writes arguments and errors into the log, and these hold texts.

    ``input_schema``: that of a tool by its name, where that is cheaper than to list them all.
    """
    return Server(
        NAME,
        version=version,
        title="WhoKnows",
        description="Memory for teams of agents in which each one knows exactly what it should.",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        get_tool_input_schema=input_schema,
        cache_hints={"tools/list": _FRESH, "server/discover": _FRESH},
    )
