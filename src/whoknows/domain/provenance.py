"""Provenance: the way from a memory back to the lines that it was taken from, through all that it rests on."""

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from whoknows.domain.evidence import Evidence
from whoknows.domain.memory import Memory


class SourceState(StrEnum):
    """What somebody who looks today finds in the source of a quote."""

    STANDS = "stands"
    """The quote is there, at the named revision."""
    MOVED = "moved"
    """The newest state does not say it any more."""
    GONE = "gone"
    """There is no such source any more."""
    UNREAD = "unread"
    """It was not looked at: there is no quote, nothing is fetched from there, or it is not the reader's to read."""


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` counts from 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Traced:
    """A piece of evidence as it is found today. ``lines``: the first and last line of the quote; ``around`` those and three on
    each side. ``memory``: where the quote was taken from another memory, what that rests on. ``is_read``: the source was looked
    at; without ``lines`` the quote does not stand there."""

    evidence: Evidence
    state: SourceState
    lines: tuple[int, int] | None = None
    around: tuple[Line, ...] = ()
    memory: "Provenance | None" = None
    is_read: bool = False


@dataclass(frozen=True, slots=True)
class Provenance:
    """``copy_of``: the original, where this is a copy and the reader may see that. ``chain``: what it replaced and what
    replaced it, newest first, of the memory that was asked about. ``batch``: the distillation that wrote it. ``cut``: it rests
    on more than is shown."""

    memory: Memory
    evidence: tuple[Traced, ...]
    copy_of: "Provenance | None" = None
    chain: tuple[Memory, ...] = ()
    batch: UUID | None = None
    cut: bool = False
