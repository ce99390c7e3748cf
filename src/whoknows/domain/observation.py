"""Observations: what several memories say, stated once, with what it rests on and whether that still stands (rules §9)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Memory


class Made(StrEnum):
    """Whose words an observation has."""

    EXTRACTIVE = "extractive"
    """those of one of its sources, word for word"""
    QUOTED = "quoted"
    """somebody's own, each sentence with a quote from a source"""
    MODEL = "model"
    """a language model's, each sentence with a quote from a source"""


class Gathered(StrEnum):
    """How its sources came together."""

    NEAR = "near"
    """they say almost the same"""
    LISTED = "listed"
    """somebody named them"""


class Change(StrEnum):
    """What became of a source since an observation was computed."""

    EDITED = "edited"
    SUPERSEDED = "superseded"
    ARCHIVED = "archived"
    WITHDRAWN = "withdrawn"
    HELD = "held"
    MOVED = "moved"
    """its readers are others now"""
    GONE = "gone"
    """it has expired, or the reader cannot see it any more"""


@dataclass(frozen=True, slots=True)
class SourceNow:
    """One source: ``version`` is the one that was read, ``changed`` what became of it since. ``stated``: it lent its words."""

    memory: MemoryId
    version: int
    stated: bool
    changed: Change | None


@dataclass(frozen=True, slots=True)
class Observation:
    """A memory of category ``observation`` and what it rests on. Stale is one of which a source has changed."""

    memory: Memory
    made: Made
    gathered: Gathered
    computed_at: datetime
    sources: tuple[SourceNow, ...]

    @property
    def stale(self) -> bool:
        return any(s.changed is not None for s in self.sources)


@dataclass(frozen=True, slots=True)
class Statement:
    """A current memory that an observation may rest on. ``vector``: its unit vector; empty where it has several or none."""

    id: MemoryId
    audience: AudienceId
    project_id: str | None
    content: str
    title: str | None
    version: int
    content_hash: str
    vector: Sequence[float] = ()


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of a source. ``sentence``: which sentence of a text they bear out, counted from 1."""

    memory: MemoryId
    quote: str
    sentence: int | None = None
