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
class Verdict:
    """Whether a reader sees a memory, the rule that says so, and the facts it rests on."""

    reader: str
    memory: MemoryId
    visible: bool
    rule: str
    reason: str
    facts: tuple[str, ...]
