"""Conversations with the master agent: messages of one account in one project, and what was answered to each."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.ids import MemoryId, TraceId, uuid7

ConversationId = NewType("ConversationId", UUID)
MessageId = NewType("MessageId", UUID)


def new_conversation_id() -> ConversationId:
    return ConversationId(uuid7())


def new_message_id() -> MessageId:
    return MessageId(uuid7())


class ExchangeState(StrEnum):
    """What became of a message."""

    SENDING = "sending"
    """Somebody waits for the answer."""
    UNANSWERED = "unanswered"
    """Nobody waits any more, and there is none: the server that asked the model is gone. It can be asked again."""
    DONE = "done"
    FAILED = "failed"
    """The model failed; the fault says how. What it had said by then is kept. It can be asked again."""


class DistillationStage(StrEnum):
    """How far the distillation of a turn is. OFF: its account, its project or the message itself does not want it."""

    PENDING = "pending"
    DONE = "done"
    OFF = "off"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Source:
    """A memory under an answer. ``score`` in [0, 1] is how well it fits the question, where that was measured."""

    memory: MemoryId
    score: float | None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message, and what was answered. ``answer`` of a model that broke off is kept as far as it came.

    In evidence mode ``answer`` is None: it is made of the sources, each time it is read. ``answer_gone``: a model's answer was
    removed, since a memory that it rested on was deleted.
    """

    message_id: MessageId
    answer_id: MessageId
    message: str
    state: ExchangeState
    fault: str | None
    asked_at: datetime
    answer: str | None
    mode: AnswerMode | None
    model: str | None
    effort: str | None
    trace: TraceId | None
    sources: tuple[Source, ...]
    answered_at: datetime | None
    answer_gone: bool = False
    distillation: DistillationStage | None = None
    """Whether what was said becomes memory by itself. None: it was said before there was that."""

    @property
    def may_be_asked_again(self) -> bool:
        return self.state in (ExchangeState.FAILED, ExchangeState.UNANSWERED)


@dataclass(frozen=True, slots=True)
class Conversation:
    id: ConversationId
    project_id: str
    title: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one conversation: its messages, and those that have an answer of a model, or one in evidence mode."""

    messages: int
    by_model: int
    by_evidence: int
