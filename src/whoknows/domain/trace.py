"""Traces and verdicts: what a recall did, and why somebody sees something or does not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from whoknows.domain.ids import MemoryId, TraceId


@dataclass(frozen=True, slots=True)
class Space:
    """A space that was searched, and the reason why the reader may search it."""

    space: str
    why: str


@dataclass(frozen=True, slots=True)
class Trace:
    """Who asked what, what was searched, what each arm brought, what was dropped and why. Ids and figures, no texts."""

    id: TraceId
    reader: str
    question: str
    asked_at: datetime
    searched: tuple[Space, ...]
    mode: str
    took_ms: float
    body: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Scored:
    """How well a memory answered; ``given``: whether it was among the answers."""

    memory: MemoryId
    score: float
    given: bool


@dataclass(frozen=True, slots=True)
class Asked:
    """A question that was asked, its floor, and what scored, best first."""

    trace: TraceId
    question: str
    asked_at: datetime
    floor: float
    scored: tuple[Scored, ...]

    @property
    def best(self) -> float:
        """0 where nothing was found at all."""
        return max((s.score for s in self.scored), default=0.0)

    @property
    def answered(self) -> int:
        return sum(s.given for s in self.scored)


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence, and what it takes to say it in another language: its key, and the names in it."""

    key: str
    text: str
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a reader sees a memory, the rule that says so, why, and the facts that this rests on."""

    reader: str
    memory: MemoryId
    visible: bool
    rule: str
    why: Saying
    grounds: tuple[Saying, ...]

    @property
    def reason(self) -> str:
        return self.why.text

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(g.text for g in self.grounds)
