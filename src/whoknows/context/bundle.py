"""The bundle: the seven parts of a context in their order, what was dropped, and the text that a model sees."""

from dataclasses import dataclass
from enum import StrEnum

SEPARATOR = "\n\n"
"""Stands between two parts, and between what comes before the message and the message. Empty parts have none."""


class PartName(StrEnum):
    """The seven parts, in the order in which they are put together (rules C2)."""

    GLOBAL_PROMPT = "global_prompt"
    USER_PROMPT = "user_prompt"
    CONVERSATION_PROMPT = "conversation_prompt"
    PROJECT_MEMORIES = "project_memories"
    USER_MEMORIES = "user_memories"
    RUNTIME = "runtime"
    MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Item:
    """One memory within a part: its id, its rendered text, and the tokens of that text."""

    id: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Part:
    """One part as a model sees it; ``text`` is empty where there is nothing. ``items`` are the memories in it."""

    name: PartName
    text: str
    tokens: int
    items: tuple[Item, ...] = ()


@dataclass(frozen=True, slots=True)
class Dropped:
    """What the budget had no room for: a memory by its id, or a prompt by the name of its part."""

    id: str
    part: PartName
    why: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a lower layer that asks to undo a higher one. ``span`` is (start, end) in characters of that layer's text."""

    layer: PartName
    span: tuple[int, int]
    reason: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """A context, ready for a model: ``composed == system + SEPARATOR + message`` byte for byte.

    Where one of the two is empty, ``composed`` is the other one. ``tokens`` is the tokenizer's count of ``composed``.
    ``tokenizer`` names it: an upper bound says so. ``model`` and ``effort`` are the conversation's or
    the installation's.
    """

    parts: tuple[Part, ...]
    dropped: tuple[Dropped, ...]
    marks: tuple[Mark, ...]
    composed: str
    tokens: int
    tokenizer: str = ""
    model: str | None = None
    effort: str | None = None

    @property
    def system(self) -> str:
        """Parts 1 to 6, as they stand in ``composed``: what a model gets as its instructions and data."""
        return joined(self.parts[:-1])

    @property
    def message(self) -> str:
        """Part 7, word for word: what a model gets as the turn to answer."""
        return self.parts[-1].text

    @property
    def memories(self) -> tuple[str, ...]:
        """The ids of the memories in it, each once, in its order."""
        return tuple(dict.fromkeys(i.id for p in self.parts for i in p.items))

    def part(self, name: PartName) -> Part:
        return next(p for p in self.parts if p.name is name)


def joined(parts: tuple[Part, ...]) -> str:
    """The texts of ``parts`` with SEPARATOR between those that are not empty."""
    return SEPARATOR.join(p.text for p in parts if p.text)
