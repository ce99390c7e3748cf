"""What OpenAI's responses interface streams."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol
from uuid import uuid4

USAGE = {
    "input_tokens": 10,
    "input_tokens_details": {"cached_tokens": 0},
    "output_tokens": 5,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 15,
}


class Named(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def namespace(self) -> str | None: ...


def response_stream(step: tuple[Named, Mapping[str, Any]] | str) -> Iterator[dict[str, Any]]:
    """One answer: a message, or a call of a tool."""
    response = {"id": f"resp_{uuid4().hex}", "object": "response", "status": "in_progress", "output": []}
    yield {"type": "response.created", "response": response}
    item = yield from _message(step) if isinstance(step, str) else _call(*step)
    yield {"type": "response.completed", "response": {**response, "status": "completed", "output": [item], "usage": USAGE}}


def _message(text: str) -> Iterator[dict[str, Any]]:
    open_item = {"type": "message", "id": f"msg_{uuid4().hex}", "role": "assistant", "status": "in_progress", "content": []}
    at: dict[str, Any] = {"item_id": open_item["id"], "output_index": 0, "content_index": 0}
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {**open_item, "status": "completed", "content": [part]}
    yield {"type": "response.output_item.added", "output_index": 0, "item": open_item}
    yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
    yield {"type": "response.output_text.delta", **at, "delta": text}
    yield {"type": "response.output_text.done", **at, "text": text}
    yield {"type": "response.content_part.done", **at, "part": part}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    return item


def _call(tool: Named, arguments: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    ids = {"id": f"fc_{uuid4().hex}", "call_id": f"call_{uuid4().hex[:24]}"}
    open_item: dict[str, Any] = {"type": "function_call", **ids, "name": tool.name, "arguments": "", "status": "in_progress"}
    if tool.namespace:
        open_item["namespace"] = tool.namespace
    written = json.dumps(dict(arguments))
    at = {"item_id": ids["id"], "output_index": 0}
    item = {**open_item, "arguments": written, "status": "completed"}
    yield {"type": "response.output_item.added", "output_index": 0, "item": open_item}
    yield {"type": "response.function_call_arguments.delta", **at, "delta": written}
    yield {"type": "response.function_call_arguments.done", **at, "arguments": written}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    return item
