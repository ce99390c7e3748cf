"""Events: a stream of what happens to the memories that the reader may see."""

import re
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Header, Request
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from whoknows.errors import Invalid, WhoKnowsError
from whoknows.ports import EventRow
from whoknows.rest import answers
from whoknows.rest.auth import reader, service_of
from whoknows.rest.parameters import AsAgent
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["events"], route_class=StrictRoute)
QUIET_SECONDS = 10.0
"""After so long without an event a comment line says that the stream is alive."""
_EXAMPLE = (
    "id: 0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57\nevent: memory.captured\n"
    'data: {"id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57", "kind": "memory.captured", '
    '"memory_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "at": "2026-01-31T12:00:00Z"}\n\n'
)
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
_STREAM = {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}, "example": _EXAMPLE}}}


@router.get("/events", response_class=StreamingResponse, summary="Follow what happens", responses={200: _STREAM, **problems()})
async def events(
    request: Request,
    last_event_id: Annotated[
        str | None, Header(alias="Last-Event-ID", description="The last `id` that was received: go on from there.")
    ] = None,
    agent_id: AsAgent = None,
) -> Response:
    """Server-sent events: ids, kinds and times, no text. Without Last-Event-ID from now on.

    Standing and key are checked again for each event; the stream ends when the key is revoked or expires.
    """
    if last_event_id is not None and not _UUID.fullmatch(last_event_id):
        raise Invalid("this is no id of an event", field="Last-Event-ID")
    caller = await reader(request, agent_id)
    found = service_of(request).follow.events(caller, None if last_event_id is None else UUID(last_event_id))
    first = await anext(found, None)  # what is wrong with the request shows here, before the stream begins
    return StreamingResponse(_lines(first, found), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


async def _lines(first: EventRow | None, rest: AsyncIterator[EventRow | None]) -> AsyncIterator[bytes]:
    yield b": connected\n\n" if first is None else _line(first)
    spoke = time.monotonic()
    async with aclosing(rest):  # pyright: ignore[reportArgumentType] - it is an async generator
        try:
            async for event in rest:
                if event is None and time.monotonic() - spoke < QUIET_SECONDS:
                    continue
                yield b": alive\n\n" if event is None else _line(event)
                spoke = time.monotonic()
        except WhoKnowsError:
            return  # the database is away: the client comes back with Last-Event-ID


def _line(event: EventRow) -> bytes:
    return f"id: {event.id}\nevent: {event.kind}\ndata: ".encode() + to_json(answers.event(event)) + b"\n\n"
