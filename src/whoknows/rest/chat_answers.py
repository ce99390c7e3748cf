"""What a chat answers: turns, sources and failures as JSON, and the same as server-sent events."""

from collections.abc import Sequence

from pydantic_core import to_json
from starlette.responses import Response

from whoknows.context.findings import excerpt
from whoknows.domain.conversation import Conversation
from whoknows.domain.memory import Memory
from whoknows.errors import ModelFault
from whoknows.flows.conversations import Conversed, Turn
from whoknows.flows.evidence import Cited
from whoknows.flows.exchange import Broken, Delta, Ended, Event, Lost, Started
from whoknows.rest.answers import Json
from whoknows.rest.errors import described, problem

_EXCERPT = 300


def ended(event: Ended) -> Json:
    e = event.turn.exchange
    return {
        "conversationId": event.conversation,
        "projectId": event.project_id,
        "messageId": e.message_id,
        "answerId": e.answer_id,
        "answer": event.turn.answer or "",
        "mode": e.mode,
        "reason": event.reason,
        "model": e.model,
        "effort": e.effort,
        "state": e.state,
        "distillation": e.distillation,
        "sources": sources(event.turn.sources),
        "traceId": e.trace,
        "askedAt": e.asked_at,
        "answeredAt": e.answered_at,
    }


def failed(event: Broken) -> Json:
    """What a problem tells besides: how to go on, and what was found instead."""
    e = event.turn.exchange
    return {
        "conversationId": event.conversation,
        "messageId": e.message_id,
        "answer": event.turn.answer,
        "evidence": sources(event.evidence),
        "retryOf": e.message_id,
    }


def failure(event: Broken | Lost, request_id: str) -> Response:
    """The problem that says how the exchange ended."""
    if isinstance(event, Lost):
        return problem(event.fault, request_id)
    return problem(event.fault, request_id, beside=failed(event))


def lines(event: Event | None) -> bytes:
    """``event`` as a server-sent event; a comment as a sign of life."""
    match event:
        case None:
            return b": alive\n\n"
        case Started():
            return _event("start", _started(event))
        case Delta(text):
            return _event("delta", {"text": text})
        case Ended():
            return _event("done", ended(event))
        case Broken():
            return _event("error", described(event.fault) | _again(event.fault) | failed(event))
        case Lost():
            ids = {"conversationId": event.conversation, "messageId": event.message_id}
            return _event("error", described(event.fault) | ids)


def failed_line(told: Json) -> bytes:
    return _event("error", told)


def conversation(c: Conversation) -> Json:
    return {
        "conversationId": c.id,
        "projectId": c.project_id,
        "title": c.title,
        "createdAt": c.created_at,
        "updatedAt": c.updated_at,
    }


def conversed(found: Conversed) -> Json:
    messages = [message for turn in found.turns for message in _messages(turn)]
    return {**conversation(found.conversation), "messages": messages, "nextCursor": found.next_cursor}


def sources(those: Sequence[Cited]) -> list[Json]:
    return [
        {
            "id": c.memory.id,
            "title": c.memory.title,
            "category": c.memory.category,
            "excerpt": excerpt(c.memory.content, _EXCERPT),
            "projectId": c.memory.project_id,
            "state": c.memory.state,
            "score": c.score,
            "evidence": [
                {
                    "sourceKind": e.source_kind,
                    "locator": e.locator,
                    "revision": e.revision,
                    "quote": e.quote,
                    "verified": e.verified,
                }
                for e in c.memory.evidence
            ],
        }
        for c in those
    ]


def _started(event: Started) -> Json:
    return {
        "conversationId": event.conversation,
        "projectId": event.project_id,
        "messageId": event.message_id,
        "answerId": event.answer_id,
        "mode": event.mode,
        "model": event.model,
        "effort": event.effort,
        "sources": sources(event.sources),
    }


def _again(fault: Exception) -> Json:
    seconds = fault.retry_after if isinstance(fault, ModelFault) else None
    return {} if seconds is None else {"retryAfter": seconds}


def _messages(turn: Turn) -> list[Json]:
    e = turn.exchange
    of_answer: Json = {"mode": None, "model": None, "effort": None, "traceId": None, "sources": []}
    of_message: Json = {"distillation": None, "remembered": []}
    said = {
        "messageId": e.message_id,
        "role": "user",
        "content": e.message,
        "state": e.state,
        "error": e.fault,
        "at": e.asked_at,
        "replyTo": None,
        **of_answer,
        "distillation": e.distillation,
        "remembered": [_remembered(m) for m in turn.remembered],
    }
    if turn.answer is None:
        return [said | {"traceId": e.trace}]
    answered = {
        "messageId": e.answer_id,
        "role": "assistant",
        "content": turn.answer,
        "state": "removed" if e.answer_gone else "done" if e.fault is None else "broken",
        "error": e.fault,
        "at": e.answered_at,
        "replyTo": e.message_id,
        "mode": e.mode,
        "model": e.model,
        "effort": e.effort,
        "traceId": e.trace,
        "sources": sources(turn.sources),
        **of_message,
    }
    return [said, answered]


def _remembered(m: Memory) -> Json:
    return {
        "memoryId": m.id,
        "content": m.content,
        "memoryType": m.category,
        "projectId": m.project_id,
        "state": m.state,
        "batchId": m.batch,
    }


def _event(kind: str, data: Json) -> bytes:
    return f"event: {kind}\ndata: ".encode() + to_json({"kind": kind, **data}) + b"\n\n"
