"""Traces of a memory on the wire."""

from datetime import datetime
from uuid import UUID

from whoknows.domain.memory import Category, State
from whoknows.domain.provenance import SourceState
from whoknows.rest.schemas.forms import Told
from whoknows.rest.schemas.memory import Evidence, Origin


class SourceLine(Told):
    """A line of a source. Secrets in it are replaced."""

    line: int
    text: str


class TracedEvidence(Evidence):
    """A piece of evidence, and what is found in its source today, as far as the caller may read that."""

    found: SourceState
    """`stands`: the quote is there; `moved`: the newest state of the source does not say it any more; `gone`: there is no such
    source any more; `unread`: it was not looked at: there is no quote, nothing is fetched from there, or it is not yours to
    read."""
    line_start: int | None
    """The first line of the quote in the source, counted from 1."""
    line_end: int | None
    around: list[SourceLine]
    """The lines of the quote, and three on each side."""
    memory: "Provenance | None"
    """Where the quote was taken from another memory: what that one rests on."""


class ChainLink(Told):
    """A memory that it replaced, or that replaced it, or itself."""

    id: UUID
    content: str
    state: State
    reason: str | None
    created_at: datetime


class Provenance(Told):
    """The way from a memory back to the lines that it was taken from."""

    id: UUID
    content: str
    title: str | None
    category: Category
    author: str
    state: State
    version: int
    created_at: datetime
    origin: Origin | None
    batch_id: UUID | None
    """The distillation that wrote it."""
    evidence: list[TracedEvidence]
    copy_of: "Provenance | None"
    """The original, where this is a copy and the caller may see that."""
    chain: list[ChainLink]
    """What it replaced and what replaced it, newest first."""
    cut: bool
    """It rests on more than is shown."""
