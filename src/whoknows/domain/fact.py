"""Facts as they cross the memory port: one with its source goes in, those that answer a question come out."""

from dataclasses import dataclass

from whoknows.domain.bank import FactContext


@dataclass(frozen=True, slots=True)
class VerifiedFact:
    """``source`` names where it stands, ``quote`` is what stands there, to the letter; whoever takes it in looks it up."""

    text: str
    source: str
    quote: str
    context: FactContext
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a fact stands. A store may write the source more exactly than it was given, never less."""

    source: str
    quote: str | None


@dataclass(frozen=True, slots=True)
class Recalled:
    """``score`` in [0, 1] is comparable between questions to one store, and never between two stores."""

    id: str
    text: str
    context: FactContext
    score: float
    citations: tuple[Citation, ...]


@dataclass(frozen=True, slots=True)
class Ingested:
    """``outcome``: stored, merged, superseding or held."""

    outcome: str
    id: str
