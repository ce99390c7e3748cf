"""The verbs of the master agent's chat, each as the call that it is."""

from typing import TypedDict
from uuid import uuid4

from whoknows.client.answers import Deleted, Json
from whoknows.client.call import Call, named, path


class ChatAnswer(TypedDict):
    """``mode`` is ``full`` (a model's words) or ``evidence`` (no model is there: what the memories say)."""

    conversationId: str
    projectId: str
    messageId: str
    answerId: str
    answer: str
    mode: str
    model: str | None
    effort: str | None
    state: str
    distillation: str | None
    sources: list[Json]
    traceId: str
    askedAt: str
    answeredAt: str


class ConversationPage(TypedDict):
    items: list[Json]
    nextCursor: str | None


def chat(
    project_id: str,
    message: str,
    *,
    conversation_id: str | None = None,
    retry_of: str | None = None,
    distill: bool = True,
) -> Call[ChatAnswer]:
    """Ask the master agent, and wait for the whole answer. Safe to repeat: one call is one exchange.

    ``conversation_id`` goes on with a conversation; ``retry_of`` asks a message of it again that has no answer. A model that
    fails is an ApiError whose code begins with ``model_``; the message is kept, and ``error.problem`` says how to go on.
    Without ``distill`` nothing of this turn becomes memory by itself.
    """
    body = {
        "projectId": project_id,
        "message": message,
        "conversationId": conversation_id,
        "retryOf": retry_of,
        "distill": None if distill else False,
    }
    return Call("POST", "/master-agent/chat", body=named(body), headers={"Idempotency-Key": str(uuid4())})


def chat_events(
    project_id: str,
    message: str,
    *,
    conversation_id: str | None = None,
    retry_of: str | None = None,
    distill: bool = True,
) -> Call[Json]:
    call = chat(project_id, message, conversation_id=conversation_id, retry_of=retry_of, distill=distill)
    return Call(call.method, call.path, body=call.body, headers={**call.headers, "Accept": "text/event-stream"})


def conversations(
    *, project_id: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Call[ConversationPage]:
    """Of the member, or of the one that the main agent works for; those with the newest message first."""
    return Call("GET", "/master-agent/conversations", {"projectId": project_id, "limit": limit, "cursor": cursor})


def conversation(conversation_id: str, *, limit: int | None = None, cursor: str | None = None) -> Call[Json]:
    """A conversation with its newest messages, in the order in which they were said."""
    return Call("GET", path("master-agent", "conversations", conversation_id), {"limit": limit, "cursor": cursor})


def forget_conversation(conversation_id: str) -> Call[Deleted]:
    """Delete its messages and answers, and the traces of the answers."""
    return Call("DELETE", path("master-agent", "conversations", conversation_id))
