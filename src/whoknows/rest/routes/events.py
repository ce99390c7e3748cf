"""Events: a stream of what happens to the memories that the reader may see."""

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from whoknows.rest import answers
from whoknows.rest.auth import reader, service_of
from whoknows.rest.parameters import AsAgent
from whoknows.rest.schemas.problem import problems
from whoknows.rest.streams import LastEventId, last_event, stream_described, streamed
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["events"], route_class=StrictRoute)
_EXAMPLE = (
    "id: 0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57\nevent: memory.captured\n"
    'data: {"id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57", "kind": "memory.captured", '
    '"memory_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "at": "2026-01-31T12:00:00Z"}\n\n'
)


@router.get(
    "/events",
    response_class=StreamingResponse,
    summary="Follow what happens",
    responses={200: stream_described(_EXAMPLE), **problems()},
)
async def events(request: Request, last_event_id: LastEventId = None, agent_id: AsAgent = None) -> Response:
    """Server-sent events: ids, kinds and times, no text. Without Last-Event-ID from now on.

    Standing and key are checked again for each event; the stream ends when the key is revoked or expires.
    """
    after = last_event(last_event_id)
    caller = await reader(request, agent_id)
    return await streamed(service_of(request).follow.events(caller, after), answers.event)
