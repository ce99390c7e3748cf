"""What a tool that could not do it tells: the code, what was wrong and where, and what to do about it. Never a trace."""

from typing import Any

from mcp_types import CallToolResult, TextContent

from whoknows.errors import WhoKnowsError
from whoknows.rest.errors import described

META = "whoknows/error"
"""Where the same stands for programs, in the result's ``_meta``."""

_AWAY = "Go on without memory, and call again later."
_ADVICE = {
    "invalid": "Correct the arguments and call again.",
    "agent_required": "The header X-Agent in this server's configuration says which one.",
    "not_found": "Take an id from recall or list: what you may not see is told as absent.",
    "refused_by_gate": "Nothing was kept. Bring a source and a quote by propose_fact, or keep it for yourself.",
    "quote_not_found": "Nothing was kept.",
    "already_superseded": "Get that memory: superseded_by names the present one.",
    "publication_pending": "Call again in a few seconds.",
    "text_too_long": "Keep it in several shorter memories.",
    "unauthenticated": "The person who set this up must give this server a key.",
    "busy": "Call again in a few seconds.",
    "store_unavailable": _AWAY,
    "embedder_unavailable": _AWAY,
    "internal": _AWAY,
}
_OF_FIELD = {"directory": "Leave it out, or name project_id.", "X-Machine": "Leave directory out, or name project_id."}
"""Instead of what is said of the code."""
_MEMORIES = (None, "supersedes", "memory_ids")
"""Fields that hold the id of a memory."""


def failed(fault: WhoKnowsError) -> CallToolResult:
    """A deliberate error as the result of a tool, so that a model can read it and put it right."""
    told = described(fault)
    return error(told["code"], fault.detail, fault.field, told)


def error(code: str, detail: str, field: str | None = None, told: dict[str, Any] | None = None) -> CallToolResult:
    """``told``: what programs are told beside it."""
    where = "" if field is None else f" ({field})"
    sentence = detail if detail.endswith((".", "!", "?")) else f"{detail}."
    text = f"{code}{where}: {sentence} {_advice(code, field)}".strip()
    return CallToolResult(
        content=[TextContent(text=text)], is_error=True, _meta={META: {"code": code, "detail": detail, **(told or {})}}
    )


def _advice(code: str, field: str | None) -> str:
    if field in _OF_FIELD:
        return _OF_FIELD[field]
    return "" if code == "not_found" and field not in _MEMORIES else _ADVICE.get(code, "")
