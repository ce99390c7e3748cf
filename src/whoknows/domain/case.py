"""Cases of the Bureau: one play of a script, in a tenant of its own."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.ids import CredentialId, MemoryId
from whoknows.domain.memory import Memory, Origin
from whoknows.domain.script import Knowledge, Language, Place, RoleText, Script
from whoknows.domain.trace import Trace


@dataclass(frozen=True, slots=True)
class Case:
    """``script`` is the id of the script that it was founded from."""

    name: str
    script: str
    language: Language
    founded_at: datetime
    reset_at: datetime | None


@dataclass(frozen=True, slots=True)
class Opened:
    """A case that was founded just now, with its operator's key, whose secret is nowhere else."""

    case: str
    language: Language
    key_id: CredentialId
    secret: str


@dataclass(frozen=True, slots=True)
class CardView:
    """A private card as the operator sees it. It stays locked, also when a copy of it is on the board.

    ``card`` is the script's name for it, where it has one.
    """

    memory: Memory
    card: str | None
    published_as: MemoryId | None


@dataclass(frozen=True, slots=True)
class RoleView:
    role: RoleText
    cards: tuple[CardView, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    """The whole case, for its operator: what each role has for itself, and the board."""

    case: Case
    script: Script
    roles: tuple[RoleView, ...]
    board: tuple[Memory, ...]


@dataclass(frozen=True, slots=True)
class HitCard:
    """A card that a question met. ``space`` is the role's own, or ``*``; ``origin`` is for copies on the board."""

    id: UUID
    content: str
    place: Place
    space: str
    origin: Origin | None
    score: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What a role said. ``reason``: why it speaks by evidence alone, in a word, where a model was to speak."""

    role: str
    text: str
    knowledge: Knowledge
    mode: AnswerMode
    reason: str | None
    hits: tuple[HitCard, ...]
    trace: Trace
    degraded: str | None
