"""Saying something to the master agent: the answer as it is spoken, or the conversation once it is there."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from pydantic_core import to_json
from starlette.responses import RedirectResponse, Response, StreamingResponse

from whoknows.console.faults import code_of, sentence
from whoknows.console.fields import lines
from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.paths import CONSOLE
from whoknows.console.viewer import service_of, writer_of
from whoknows.domain.conversation import ConversationId, MessageId
from whoknows.errors import Invalid, WhoKnowsError
from whoknows.flows.converse import Said
from whoknows.flows.exchange import Broken, Delta, Ended, Event, Lost, Started

_STREAM = "text/event-stream"
router = APIRouter(route_class=OfAccount)


@router.post("/chat/say", response_class=StreamingResponse)
async def say(
    request: Request,
    project: Annotated[str, Form()],
    message: Annotated[str, Form()],
    conversation: Annotated[str, Form()] = "",
    again: Annotated[str, Form()] = "",
    keep_nothing: Annotated[bool, Form()] = False,
) -> Response:
    """Who stops reading ends the model's call; what it had said by then is kept."""
    said = Said(
        project_id=project,
        message=lines(message),
        conversation=ConversationId(found) if (found := _id(conversation, "conversation")) else None,
        again=MessageId(found) if (found := _id(again, "again")) else None,
        distill=not keep_nothing,
    )
    events = service_of(request).converse(writer_of(request), said)
    first = await anext(events)  # what is wrong with it shows here, before the answer begins
    if _STREAM in request.headers.get("accept", ""):
        return StreamingResponse(_spoken(request, first, events), media_type=_STREAM, headers={"X-Accel-Buffering": "no"})
    async with aclosing(events):
        async for event in events:
            match event:
                case None | Started() | Delta():
                    continue
                case Ended() | Broken():
                    return RedirectResponse(f"{CONSOLE}/chat/{event.conversation}#latest", 303)
                case Lost():
                    raise event.fault
    raise AssertionError("a conversation ends with an end")


async def _spoken(request: Request, first: Event | None, rest: AsyncGenerator[Event | None]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield _line(request, first)
        try:
            async for event in rest:
                yield _line(request, event)
        except WhoKnowsError as fault:
            yield _lost(request, fault)


def _line(request: Request, event: Event | None) -> bytes:
    """Ids, and the words of the answer. How the turn looks in the end, the page asks for."""
    match event:
        case None:
            return b": alive\n\n"
        case Started():
            return _event("start", conversation=event.conversation, message=event.message_id, mode=event.mode)
        case Delta(text):
            return _event("delta", text=text)
        case Ended() | Broken():
            return _event("done")
        case Lost():
            return _lost(request, event.fault)


def _lost(request: Request, fault: WhoKnowsError) -> bytes:
    return _event("lost", told=sentence(request, fault), code=code_of(fault))


def _event(kind: str, **data: object) -> bytes:
    return f"event: {kind}\ndata: ".encode() + to_json(data) + b"\n\n"


def _id(text: str, field: str) -> UUID | None:
    try:
        return UUID(text) if text else None
    except ValueError:
        raise Invalid("this is no id", field=field) from None
