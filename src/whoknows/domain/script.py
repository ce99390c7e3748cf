"""Scripts of the Bureau: who plays, what each one knows at the beginning, and a way to play it."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class Language(StrEnum):
    ZH = "zh"
    EN = "en"


@dataclass(frozen=True, slots=True)
class Words:
    """One text in both languages."""

    zh: str
    en: str

    def speak(self, language: Language) -> str:
        return self.zh if language is Language.ZH else self.en


class CardKind(StrEnum):
    """What a memory is in the story; it does not change who may see it."""

    SECRET = "secret"  # noqa: S105 - a kind of card
    CLUE = "clue"
    ALIBI = "alibi"
    KNOWLEDGE = "knowledge"
    RUMOUR = "rumour"
    WHISPER = "whisper"


@dataclass(frozen=True, slots=True)
class CardText:
    """What a role knows. ``id`` is the script's own name for it; ``topic``, a short word, goes along when it is published."""

    id: str
    topic: str
    kind: CardKind
    text: Words


@dataclass(frozen=True, slots=True)
class RoleText:
    """A role: its id is the name of its agent. ``persona`` says how it speaks; it is no memory."""

    id: str
    name: Words
    persona: Words
    memories: tuple[CardText, ...]


class Knowledge(StrEnum):
    """What a question meets."""

    KNOWN = "known"
    UNKNOWN = "unknown"


class Place(StrEnum):
    """Where an answer comes from."""

    OWN = "own"
    BOARD = "board"


@dataclass(frozen=True, slots=True)
class WhisperStep:
    """``card``: the name by which later steps call what was whispered."""

    role: str
    card: CardText


@dataclass(frozen=True, slots=True)
class AskStep:
    """``card`` and ``place``, where the answer is known: which card comes first, and from where."""

    role: str
    question: Words
    expect: Knowledge
    card: str | None = None
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class PublishStep:
    card: str


Step = WhisperStep | AskStep | PublishStep


@dataclass(frozen=True, slots=True)
class Script:
    id: str
    title: Words
    intro: Words
    roles: tuple[RoleText, ...]
    steps: tuple[Step, ...]

    def role(self, role: str) -> RoleText | None:
        return next((r for r in self.roles if r.id == role), None)

    def cards(self) -> Iterator[tuple[str, CardText]]:
        """(role, card) of all that a play may know: what is known at the beginning, and what is whispered on the way."""
        for role in self.roles:
            for card in role.memories:
                yield role.id, card
        for step in self.steps:
            if isinstance(step, WhisperStep):
                yield step.role, step.card
