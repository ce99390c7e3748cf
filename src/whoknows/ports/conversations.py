"""The gateway of conversations with the master agent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import Conversation, ConversationId, Counts, Exchange, MessageId, Source
from whoknows.domain.credential import Caller
from whoknows.domain.trace import Trace
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class NewExchange:
    """A message before it is answered. ``title`` makes the conversation; ``again`` asks one anew that has no answer.

    ``answer_id`` is that of this attempt.
    """

    conversation: ConversationId
    project_id: str
    title: str | None
    message_id: MessageId
    answer_id: MessageId
    message: str
    again: bool


@dataclass(frozen=True, slots=True)
class Ending:
    """How an exchange ended. ``fault`` is the code of an error; with an ``answer`` beside it, that broke off.

    ``earlier`` are the exchanges whose answers the model was shown: where the text of one of them went since, or a memory among
    ``sources`` was deleted, the answer's text is not kept.
    """

    fault: str | None
    answer: str | None
    mode: AnswerMode
    model: str | None
    effort: str | None
    sources: Sequence[Source]
    earlier: Sequence[MessageId] = ()


class Conversations(Protocol):
    """The conversations of one account: the member's own, for a main agent those of the member that it works for."""

    async def page(self, project_id: str | None, limit: int, cursor: str | None) -> Page[Conversation]:
        """Those with the newest message first."""
        ...

    async def projects(self, limit: int) -> Sequence[str]:
        """Those with conversations, the one with the newest message first."""
        ...

    async def get(self, conversation: ConversationId) -> Conversation | None: ...
    async def counts(self, conversation: ConversationId) -> Counts: ...
    async def exchanges(self, conversation: ConversationId, limit: int, cursor: str | None) -> Page[Exchange]:
        """The newest ``limit`` of them, in the order in which they were said; ``next_cursor`` leads to older ones."""
        ...

    async def exchange(self, conversation: ConversationId, message: MessageId) -> Exchange | None: ...
    async def spoken(self, conversation: ConversationId, limit: int) -> Sequence[Exchange]:
        """The newest that a model answered, in part at least, in the order in which they were said."""
        ...

    async def begin(self, exchange: NewExchange, lease: timedelta) -> bool:
        """Keep a message. False where its conversation is gone, or where the message to ask again has an answer meanwhile."""
        ...

    async def renew(self, answer: MessageId, lease: timedelta) -> bool:
        """Somebody still waits for it. False where the exchange is gone, has ended or is asked anew.

        Forbidden where the key has ended.
        """
        ...

    async def finish(self, caller: Caller, answer: MessageId, ending: Ending, trace: Trace) -> bool:
        """Keep the answer and its trace. False where the exchange is gone or asked anew: then nothing is kept."""
        ...

    async def forget(self, conversation: ConversationId) -> bool: ...
