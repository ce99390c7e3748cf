"""What the arms hand to the pipeline, and what the pipeline hands back: plain frozen values, no I/O.

Everything here is computed from the question and the texts that this reader may see; nothing knows the clock (rules
R4, R7).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """A term to look up, and how much it counts: 1 for a word, less for a pair of characters that may cross two
    words."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A memory that contains a term of the question. `bm25` > 0: sum over terms of weight * idf * saturated
    frequency."""

    memory: UUID
    bm25: float


@dataclass(frozen=True, slots=True)
class LexicalArm:
    """Answer of the lexical arm: its best hits, best first, and what it counted over the reader's visible active
    texts.

    `frequencies[i]` is the number of those texts that contain `terms[i]`; `visible` is the number of those texts,
    with which idf is computed (`fuse.idf`).
    """

    terms: tuple[QuestionTerm, ...]
    frequencies: tuple[int, ...]
    visible: int
    hits: tuple[LexicalHit, ...]


@dataclass(frozen=True, slots=True)
class Background:
    """How near a question is to texts it has nothing to do with: cosines with a fixed cohort (see background.py).

    `narrow` and `wide` are the mean cosines with the cohort's alphabetic and its Han texts; `spread` is the
    embedder's own standard deviation of such cosines, the unit in which nearness is counted.
    """

    narrow: float
    wide: float
    spread: float


@dataclass(frozen=True, slots=True)
class DenseHit:
    """A memory and the cosine of its best passage with the question, in [-1, 1]."""

    memory: UUID
    cosine: float


@dataclass(frozen=True, slots=True)
class DenseArm:
    """Answer of the dense arm: the nearest memories, best first."""

    background: Background
    hits: tuple[DenseHit, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """What the pipeline must know of a candidate beside its scores.

    `session` is the conversation it was written in, or None; `ordinal` its place there, counting that author's writes
    by one; `wide` whether it is written mostly in Han characters (`tokens.is_wide`); `embedded` whether it has
    vectors yet. `project` and `audience` rank nothing: by them a caller tells what it asked for from what it did not.
    """

    session: str | None
    ordinal: int
    created_at: datetime
    wide: bool
    embedded: bool = True
    project: str | None = None
    audience: int | None = None


@dataclass(frozen=True, slots=True)
class Former:
    """A text that was overturned, by what it says: no hit itself, it leads to what holds instead.

    It counts in no statistics: `bm25` (0: no term in common) is taken with those of the visible active texts. `cosine`
    is None where the dense arm did not answer or the text has no vectors. `wide` as in `Card`.
    """

    memory: UUID
    leads_to: UUID
    bm25: float
    cosine: float | None
    wide: bool


@dataclass(frozen=True, slots=True)
class Arms:
    """All that one question has brought. An arm that did not answer (embedder down, no searchable word) is None.

    `wide_question` is `tokens.is_wide` of the question; `visible` the number of active memories the reader may see.
    `cards` has a card for every memory in either list. A list may be longer than the top K: memories of the other
    list, and neighbours in a session, whose scores a second query fetched, may be appended (worth about one point;
    see decision 0004).
    """

    wide_question: bool
    visible: int
    lexical: LexicalArm | None
    dense: DenseArm | None
    cards: Mapping[UUID, Card]
    former: tuple[Former, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory that recall returns. `score` in [0, 1] is calibrated: the chance that such a best hit answers the
    question."""

    memory: UUID
    score: float
    bm25: float | None
    cosine: float | None
    neighbour: UUID | None
    """The turn beside it that lent it strength, if one did."""
    former: UUID | None = None
    """The overturned text that led to it, if one did: then the figures are those of that text."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A candidate that was not returned, and why: for the trace."""

    memory: UUID
    score: float
    reason: Literal["below_floor", "beyond_limit"]


@dataclass(frozen=True, slots=True)
class Recalled:
    """Result of the pipeline: hits best first, what was dropped, and which arms had a say."""

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]
    arms: tuple[Literal["lexical", "dense"], ...]
    floor: float
