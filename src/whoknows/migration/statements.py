"""Statements: what a program remembered, each with the lines of its file that say it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from whoknows.domain.memory import Category


class Fate(StrEnum):
    """What becomes of a line, worst last."""

    STRUCTURAL = "structural"
    """It says nothing by itself: front matter, a heading, a blank, an index line of a topic that went in."""
    STORED = "stored"
    MERGED = "merged"
    """The same was said already; it is one more source of that."""
    HELD = "held"
    """It waits: for a project, for a review, for a server."""
    REFUSED = "refused"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a program worked when it noted something.

    ``key`` is what a person names in ``--map``. ``directories`` are all that it may have been: several only where the program
    wrote them down so that they cannot be told apart.
    """

    key: str
    directories: tuple[str, ...] = ()


GENERAL = Place("")
"""Of no project: it is about the person."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One memory to be. ``lines`` count from 1 and leave blanks out; several statements may share a long line.

    ``quote`` is where it begins, word for word. ``noted`` is the time in the words of the program. ``topic``: it is all that
    its file says, so that a later form of the file takes its place.
    """

    path: str
    lines: tuple[int, ...]
    text: str
    title: str | None
    category: Category
    place: Place
    quote: str
    tags: tuple[str, ...] = ()
    noted: str | None = None
    topic: bool = False


@dataclass(frozen=True, slots=True)
class Pointer:
    """An index line: it says nothing where ``target`` went in, and speaks for itself where there is no such file."""

    line: int
    target: str
    instead: Statement


@dataclass(frozen=True, slots=True)
class Parsed:
    """A file, every line of it accounted for: said by a statement, a pointer, structure with its reason, or unreadable."""

    path: str
    total: int
    statements: Sequence[Statement] = ()
    pointers: Sequence[Pointer] = ()
    structure: Mapping[int, str] = field(default_factory=dict[int, str])
    unreadable: str | None = None

    def unaccounted(self) -> list[int]:
        """Lines that nothing speaks of. Always empty, and checked."""
        known = set(self.structure) | {p.line for p in self.pointers} | {n for s in self.statements for n in s.lines}
        return [] if self.unreadable is not None else [n for n in range(1, self.total + 1) if n not in known]
