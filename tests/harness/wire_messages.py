"""What Anthropic's messages interface answers, whole and as a stream."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from uuid import uuid4

MODEL = "claude-sonnet-4-5"


class Named(Protocol):
    @property
    def full(self) -> str: ...


def message(step: tuple[Named, Mapping[str, Any]] | str) -> dict[str, Any]:
    """The answer in one piece."""
    return {
        "id": f"msg_{uuid4().hex}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [_content(step)],
        "stop_reason": _reason(step),
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 5},
    }


def message_stream(step: tuple[Named, Mapping[str, Any]] | str) -> Iterator[dict[str, Any]]:
    """The same as server-sent events."""
    whole = message(step)
    part = whole["content"][0]
    empty = {**part, "text": ""} if part["type"] == "text" else {**part, "input": {}}
    yield {"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": _delta(part)}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": 5},
    }
    yield {"type": "message_stop"}


def _content(step: tuple[Named, Mapping[str, Any]] | str) -> dict[str, Any]:
    if isinstance(step, str):
        return {"type": "text", "text": step}
    tool, arguments = step
    return {"type": "tool_use", "id": f"toolu_{uuid4().hex[:24]}", "name": tool.full, "input": dict(arguments)}


def _delta(part: Mapping[str, Any]) -> dict[str, Any]:
    if part["type"] == "text":
        return {"type": "text_delta", "text": part["text"]}
    return {"type": "input_json_delta", "partial_json": json.dumps(part["input"])}


def _reason(step: tuple[Named, Mapping[str, Any]] | str) -> str:
    return "end_turn" if isinstance(step, str) else "tool_use"
