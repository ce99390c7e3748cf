"""Export: everything the caller may read, as JSON lines."""

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from pydantic_core import to_json
from starlette.responses import Response, StreamingResponse

from whoknows.domain.memory import Memory
from whoknows.rest import answers
from whoknows.rest.auth import reader, service_of
from whoknows.rest.parameters import AsAgent
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["administration"], route_class=StrictRoute)
_LINES = {
    "description": "One memory a line.",
    "content": {"application/x-ndjson": {"schema": {"type": "string"}, "example": '{"id": "…", "content": "…"}\n'}},
}


@router.post(
    "/export", response_class=StreamingResponse, summary="Everything one may read", responses={200: _LINES, **problems()}
)
async def export(request: Request, agent_id: AsAgent = None) -> Response:
    """In every state, newest first, streamed."""
    found = service_of(request).export(await reader(request, agent_id))
    first = await anext(found, None)  # what is wrong shows here, before the stream begins
    return StreamingResponse(_lines(first, found), media_type="application/x-ndjson")


async def _lines(first: Memory | None, rest: AsyncIterator[Memory]) -> AsyncIterator[bytes]:
    if first is None:
        return
    yield _line(first)
    async for memory in rest:
        yield _line(memory)


def _line(memory: Memory) -> bytes:
    return to_json(answers.memory(memory)) + b"\n"
