"""What distillation finds in a conversation: facts worth keeping, why the rest is not, and what a fact means to the memories
that exist.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category


class Speaking(StrEnum):
    """Who said a message."""

    USER = "user"
    ASSISTANT = "assistant"


class Reach(StrEnum):
    """For what a fact holds: one project, or whatever its person does."""

    GLOBAL = "global"
    PROJECT = "project"


class Skip(StrEnum):
    """Why nothing was kept of a message."""

    GREETING = "greeting"
    ACK = "ack"
    EPHEMERAL = "ephemeral"
    GUESS = "guess"
    NAGGING = "nagging"
    OPERATIONAL = "operational"
    UNCONFIRMED_SUGGESTION = "unconfirmed_suggestion"
    UNENDORSED_QUOTE = "unendorsed_quote"
    QUESTION = "question"
    HYPOTHETICAL = "hypothetical"
    JOKE = "joke"
    RESTATED_MEMORY = "restated_memory"
    SECRET = "secret"  # noqa: S105
    RULE_OVERRIDE = "rule_override"
    REPEAT = "repeat"
    TOLD_NOT_TO_KEEP = "told_not_to_keep"
    NOTHING_LASTING = "nothing_lasting"
    """None of the others: nothing in it will be of use after the conversation."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a conversation. ``id`` is whatever its conversation calls it; ``project_id`` that in which it was said."""

    id: str
    role: Speaking
    content: str
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class FactFound:
    """Something worth keeping.

    ``quote`` stands in the message, character for character, from ``start`` to ``end``; ``text`` is what is stored: the quote
    without what merely wraps it. ``confidence`` in [0, 1].
    """

    text: str
    quote: str
    start: int
    end: int
    memory_type: Category
    scope: Reach
    confidence: float


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a message leaves behind. ``skipped`` says why it leaves nothing; it is None where there are facts."""

    message_id: str
    facts: tuple[FactFound, ...]
    skipped: Skip | None


@dataclass(frozen=True, slots=True)
class Known:
    """A memory that a fact may be about: active, of the same account, and the current one of its chain.

    ``vector`` is that of its text as a passage, None where there is none (yet). ``recency``: 0 for the memory that was written
    or changed last, 1 for the one before, and so on.
    """

    id: MemoryId
    text: str
    memory_type: Category
    scope: Reach
    project_id: str | None
    vector: Sequence[float] | None
    recency: int = 0


@dataclass(frozen=True, slots=True)
class New:
    """Nobody knew it."""


@dataclass(frozen=True, slots=True)
class Same:
    """``memory`` says it already."""

    memory: MemoryId


@dataclass(frozen=True, slots=True)
class Updates:
    """It takes the place of ``memory``.

    ``lifts``: ``memory`` was a block, and work goes on. ``in_part``: it changes one thing of ``memory`` and leaves the rest as
    it was ("六位吧，其他不变"), so that a reader of the new statement needs the old one beside it.
    """

    memory: MemoryId
    lifts: bool = False
    in_part: bool = False


Relation = New | Same | Updates
