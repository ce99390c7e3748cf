"""Chat and conversations on the wire. Their names are those of the master agent's interface, in camelCase."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self
from uuid import UUID

from pydantic import AfterValidator, ConfigDict, Field, model_validator

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import ConversationId, DistillationStage, ExchangeState, MessageId
from whoknows.domain.memory import Category, State
from whoknows.domain.prompt import Effort
from whoknows.flows.converse import Said
from whoknows.rest.schemas.forms import CamelForm, CamelTold, Flag, Label, Words
from whoknows.rest.schemas.problem import Problem

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e5"
_AT = "2026-01-31T12:00:00Z"


def _uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        raise ValueError("this is no id: take it from an answer, or leave it out") from None


IdText = Annotated[str, AfterValidator(_uuid), Field(max_length=36, json_schema_extra={"format": "uuid"})]


class ChatIn(CamelForm):
    """A message to the master agent."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"projectId": "boss", "message": "服务器的地址是什么？"}]})

    project_id: Label
    message: Words
    conversation_id: IdText | None = None
    """The conversation to go on with; left out, a new one begins."""
    retry_of: IdText | None = None
    """A message of that conversation that failed or was left unanswered: this one takes its place."""
    distill: Flag = True
    """false: nothing of this turn becomes memory by itself, whatever the account says."""
    account: Label | None = None
    """The member whose conversation it is; it may only say what the key says already, or which of several."""

    @model_validator(mode="after")
    def _within(self) -> Self:
        if self.retry_of is not None and self.conversation_id is None:
            raise ValueError("retryOf needs the conversationId that the message belongs to")
        return self

    def said(self) -> Said:
        conversation = None if self.conversation_id is None else ConversationId(UUID(self.conversation_id))
        again = None if self.retry_of is None else MessageId(UUID(self.retry_of))
        return Said(self.project_id, self.message, conversation, again, self.account, self.distill)


class SourceEvidence(CamelTold):
    """Where a memory comes from."""

    source_kind: str
    locator: str
    revision: str | None
    quote: str | None
    verified: bool


class AnswerSource(CamelTold):
    """A memory under an answer, as it is today; those that the reader may not see any more are not listed."""

    id: UUID
    title: str | None
    category: Category
    excerpt: str
    """Its beginning."""
    project_id: str | None
    state: State
    score: float | None
    """How well it fits the message, where that was measured: in evidence mode."""
    evidence: list[SourceEvidence]


_SOURCE: dict[str, Any] = {
    "id": f"{_ID}1",
    "title": None,
    "category": "decision",
    "excerpt": "boss 项目的服务器固定是 srv-4",
    "projectId": "boss",
    "state": "active",
    "score": 0.81,
    "evidence": [],
}


class ChatAnswer(CamelTold):
    """What was answered. The message is kept in any case."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "conversationId": f"{_ID}2",
                    "projectId": "boss",
                    "messageId": f"{_ID}3",
                    "answerId": f"{_ID}4",
                    "answer": "服务器是 srv-4。",
                    "mode": "full",
                    "reason": None,
                    "model": "gpt-5-mini",
                    "effort": "low",
                    "state": "done",
                    "distillation": "pending",
                    "sources": [_SOURCE],
                    "traceId": f"{_ID}5",
                    "askedAt": _AT,
                    "answeredAt": _AT,
                }
            ]
        }
    )

    conversation_id: UUID
    project_id: str
    message_id: UUID
    answer_id: UUID
    answer: str
    mode: AnswerMode
    """`full`: a model's words. `evidence`: no model is asked, and this is what the memories say."""
    reason: Literal["no_model", "egress_forbidden"] | None
    """Why in evidence mode: none is set, or the account's texts may not leave this machine."""
    model: str | None
    effort: Effort | None
    state: Literal["done"]
    distillation: DistillationStage | None
    """`pending`: what was said is looked through behind the answer, and what is worth it becomes memory. `off`: it is not."""
    sources: list[AnswerSource]
    trace_id: UUID
    """Which prompts and memories went in: `GET /traces/{traceId}`."""
    asked_at: datetime
    answered_at: datetime


class ChatProblem(Problem):
    """A model that failed. The message is kept; `evidence` is what the memories say meanwhile."""

    conversation_id: UUID = Field(alias="conversationId")
    message_id: UUID = Field(alias="messageId")
    answer: str | None
    """What the model had said by then."""
    evidence: list[AnswerSource]
    retry_of: UUID = Field(alias="retryOf")
    """Send the message again with this, and with the conversationId, to have it answered."""


class Remembered(CamelTold):
    """A memory that a turn left, as it is today."""

    memory_id: UUID
    content: str
    memory_type: Category
    project_id: str | None
    state: State
    batch_id: UUID | None
    """`DELETE /master-agent/distill/{batchId}` undoes it. null: it was changed or said by others since, and stays."""


class Message(CamelTold):
    """One message of a conversation."""

    message_id: UUID
    role: Literal["user", "assistant"]
    content: str
    state: ExchangeState | Literal["broken", "removed"]
    """Of a user's: `sending`, `done`, `failed`, `unanswered`. Of an answer: `done`, `broken` (kept as far as it came), or
    `removed` (a memory that it rested on was deleted)."""
    error: str | None
    """The code of what went wrong."""
    at: datetime
    reply_to: UUID | None
    mode: AnswerMode | None
    model: str | None
    effort: Effort | None
    trace_id: UUID | None
    sources: list[AnswerSource]
    distillation: DistillationStage | None
    """Of a user's: how far it is with becoming memory."""
    remembered: list[Remembered]
    """Of a user's: what became memory of it, or of the answer to it."""


class Conversation(CamelTold):
    """A conversation of the account."""

    conversation_id: UUID
    project_id: str
    title: str
    """The beginning of its first message."""
    created_at: datetime
    updated_at: datetime


class ConversationPage(CamelTold):
    """Those with the newest message first."""

    items: list[Conversation]
    next_cursor: str | None


class ConversationWhole(Conversation):
    """A conversation and its newest messages, in the order in which they were said."""

    messages: list[Message]
    next_cursor: str | None
    """Leads to the messages before."""
