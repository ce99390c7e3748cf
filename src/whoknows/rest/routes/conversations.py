"""Chat with the master agent, in one answer or as it is spoken; and the conversations of an account."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Request
from starlette.responses import Response, StreamingResponse

from whoknows.domain.conversation import ConversationId
from whoknows.errors import WhoKnowsError
from whoknows.flows.exchange import Broken, Delta, Ended, Event, Lost, Started
from whoknows.rest import answers
from whoknows.rest import chat_answers as chat
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader_of, service_of, writer
from whoknows.rest.errors import described
from whoknows.rest.parameters import Account, AsAgent, ConversationRef, Cursor, Limit, ProjectId, Repeatable
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas import conversations as schema
from whoknows.rest.schemas.problem import only, problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/master-agent", tags=["master agent"], route_class=StrictRoute)
_STREAM = "text/event-stream"
_EXAMPLE = (
    'event: start\ndata: {"kind": "start", "conversationId": "…", "messageId": "…", "mode": "full", "sources": []}\n\n'
    'event: delta\ndata: {"kind": "delta", "text": "服务器"}\n\n'
    'event: done\ndata: {"kind": "done", "answer": "服务器是 srv-4。", "state": "done"}\n\n'
)
_ANSWERED: dict[str, Any] = {
    "description": "The answer; with `Accept: text/event-stream` the events `start`, `delta`…, and `done` or `error`.",
    "content": {_STREAM: {"schema": {"type": "string"}, "example": _EXAMPLE}},
}
_PROBLEM = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ChatProblem"}}}
_FAILED: dict[int | str, dict[str, Any]] = {
    status: {"description": told["description"], "content": _PROBLEM} for status, told in only(429, 502, 504).items()
}


@router.post(
    "/chat",
    response_model=schema.ChatAnswer,
    summary="Ask the master agent",
    responses={**problems(404, 409, body=True), **_FAILED, 200: _ANSWERED},
)
async def chat_with(
    request: Request,
    body: schema.ChatIn,
    idempotency_key: Repeatable = None,
    accept: Annotated[str | None, Header(description="`text/event-stream`: the answer as it is spoken.")] = None,
    agent_id: AsAgent = None,
) -> Response:
    """With its three prompts, the memories of the account and project, and what was said before in this conversation.

    The message is kept before a model is asked, and never lost: where the model fails, the problem says how to ask again
    (`retryOf`), and what the memories say meanwhile (`evidence`). Without a model the answer is in evidence mode. Who stops
    reading a stream ends the model's call; what it had said is kept.
    """
    caller = writer(request, agent_id, body.account)
    once = await repeatable("master-agent/chat", idempotency_key, request)
    events = service_of(request).converse(caller, body.said(), once)
    first = await anext(events)  # what is wrong with the request shows here, before the stream begins
    if accept is not None and _STREAM in accept.lower():
        return StreamingResponse(_spoken(first, events), media_type=_STREAM, headers={"X-Accel-Buffering": "no"})
    async with aclosing(events):
        async for event in events:
            match event:
                case None | Started() | Delta():
                    continue
                case Ended():
                    return answer(chat.ended(event))
                case Broken() | Lost():
                    return chat.failure(event, request.state.request_id)
    raise AssertionError("a conversation ends with an end")


@router.get("/conversations", response_model=schema.ConversationPage, summary="List conversations", responses=problems())
async def list_conversations(
    request: Request,
    project_id: ProjectId = None,
    account: Account = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """Of the member, or for a main agent of the member that it works for; those with the newest message first."""
    caller = await reader_of(request, agent_id, account)
    found = await service_of(request).conversations.list(caller, project_id, limit, cursor, account)
    return answer({"items": [chat.conversation(c) for c in found.items], "nextCursor": found.next_cursor})


@router.get(
    "/conversations/{conversation_id}",
    response_model=schema.ConversationWhole,
    summary="Read a conversation",
    responses=problems(404),
)
async def get_conversation(
    request: Request,
    conversation_id: ConversationRef,
    account: Account = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """Its newest `limit` messages, each with its answer and what that rests on, as far as the reader may see it today."""
    caller = await reader_of(request, agent_id, account)
    found = await service_of(request).conversations.get(caller, ConversationId(conversation_id), limit, cursor, account)
    return answer(chat.conversed(found))


@router.delete(
    "/conversations/{conversation_id}", response_model=Deleted, summary="Delete a conversation", responses=problems(404)
)
async def delete_conversation(
    request: Request, conversation_id: ConversationRef, account: Account = None, agent_id: AsAgent = None
) -> Response:
    """Messages, answers, and the traces of the answers. An answer that is under way ends, and is not kept."""
    caller = writer(request, agent_id, account)
    await service_of(request).conversations.forget(caller, ConversationId(conversation_id), account)
    return answers.deleted()


async def _spoken(first: Event | None, rest: AsyncGenerator[Event | None]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield chat.lines(first)
        try:
            async for event in rest:
                yield chat.lines(event)
        except WhoKnowsError as fault:  # the answer has begun: what goes wrong now is an event of it
            yield chat.failed_line(described(fault))
