"""The tools: one for each verb that an agent needs."""

from typing import Any

from whoknows.mcp.tool import Tool
from whoknows.mcp.tools import forget, handing, reading, recall, writing

TOOLS: dict[str, Tool[Any]] = {
    tool.name: tool
    for tool in (
        recall.RECALL,
        writing.REMEMBER,
        reading.GET,
        reading.LIST,
        handing.PUBLISH,
        handing.INJECT_CONTEXT,
        reading.WHY,
        writing.PROPOSE_FACT,
        forget.FORGET,
    )
}
"""In the order in which they are listed, which is always the same: prompts that hold the list can be cached."""
