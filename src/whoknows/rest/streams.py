"""Server-sent events of what happens: where a stream begins, its events in order, and signs of life in between."""

import re
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Annotated, Any, TypeVar
from uuid import UUID

from fastapi import Header
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from whoknows.errors import Invalid, WhoKnowsError
from whoknows.rest.answers import Json

T = TypeVar("T")
QUIET_SECONDS = 10.0
"""After so long without an event a comment line says that the stream is alive."""
LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", description="The last `id` that was received: go on from there.")
]
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)


def last_event(header: str | None) -> UUID | None:
    """The event to go on from. Raises Invalid."""
    if header is not None and not _UUID.fullmatch(header):
        raise Invalid("this is no id of an event", field="Last-Event-ID")
    return None if header is None else UUID(header)


def stream_described(example: str) -> dict[str, Any]:
    """A stream as the description of a route has it."""
    return {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}, "example": example}}}


async def streamed(found: AsyncGenerator[T | None], told: Callable[[T], Json]) -> Response:
    """``told`` makes an event the object that it is on the wire, with its `id` and `kind`. None is a sign of life."""
    first = await anext(found, None)  # what is wrong with the request shows here, before the stream begins
    return StreamingResponse(_lines(first, found, told), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _lines(first: T | None, rest: AsyncGenerator[T | None], told: Callable[[T], Json]) -> AsyncGenerator[bytes]:
    yield b": connected\n\n" if first is None else _line(told(first))
    spoke = time.monotonic()
    async with aclosing(rest):
        try:
            async for event in rest:
                if event is None and time.monotonic() - spoke < QUIET_SECONDS:
                    continue
                yield b": alive\n\n" if event is None else _line(told(event))
                spoke = time.monotonic()
        except WhoKnowsError:
            return  # the database is away: the client comes back with Last-Event-ID


def _line(event: Json) -> bytes:
    return f"id: {event['id']}\nevent: {event['kind']}\ndata: ".encode() + to_json(event) + b"\n\n"
