"""Reports of harnesses: what programs got from memory in a project, in figures, stage by stage."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from whoknows.domain.correction import Comparison
from whoknows.domain.harness import HookEvent, Outcome, Program, Stage


@dataclass(frozen=True, slots=True)
class Tally:
    """How many events of one kind ended in one way, for one reason."""

    stage: Stage
    program: Program
    event: HookEvent
    outcome: Outcome
    reason: str | None
    events: int


@dataclass(frozen=True, slots=True)
class Amount:
    """Of all prompts: the sum, the middle and what one in twenty exceeds."""

    total: int
    median: int
    p95: int


@dataclass(frozen=True, slots=True)
class Scores:
    """Of what was injected: the lowest, the middle of the best ones, the highest. In [0, 1]."""

    lowest: float
    median: float
    highest: float


@dataclass(frozen=True, slots=True)
class Latency:
    """The server's own time in milliseconds, of all events that it answered with more than a glance."""

    p50: float
    p95: float


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured of one stage. None where nothing was injected, or nothing came."""

    stage: Stage
    first: datetime
    last: datetime
    sessions: int
    memories: Amount
    characters: Amount
    tokens: Amount
    scores: Scores | None
    latency: Latency


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that was distilled: ``kept`` is what became of one thing in it, ``skipped`` why nothing was kept."""

    message: str
    kept: str | None = None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Captured:
    """What became of the exchanges that were captured. ``nothing``: heard, and nothing in it was new or worth keeping."""

    exchanges: int = 0
    waiting: int = 0
    nothing: int = 0
    facts: Mapping[str, int] = field(default_factory=dict[str, int])
    """stored, merged, superseding, held, repeat."""
    skipped: Mapping[str, int] = field(default_factory=dict[str, int])
    """What was heard and not kept, by reason: refused by the gate among them."""


@dataclass(frozen=True, slots=True)
class StageReport:
    stage: Stage
    measures: Measures
    tallies: tuple[Tally, ...]
    captured: Captured

    def count(self, *, event: HookEvent | None = None, outcome: Outcome | None = None) -> int:
        return sum(
            t.events for t in self.tallies if (event is None or t.event is event) and (outcome is None or t.outcome is outcome)
        )

    def reasons(self, outcome: Outcome) -> dict[str, int]:
        """How many ended in ``outcome`` for each reason; ``-`` where there was none."""
        found: dict[str, int] = {}
        for t in self.tallies:
            if t.outcome is outcome:
                found[t.reason or "-"] = found.get(t.reason or "-", 0) + t.events
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    @property
    def degraded(self) -> dict[str, int]:
        """Prompts that were searched by words alone, by reason."""
        answered = (Outcome.INJECTED, Outcome.NOTHING)
        found: dict[str, int] = {}
        for t in self.tallies:
            if t.outcome in answered and t.event is HookEvent.PROMPT and t.reason is not None:
                found[t.reason] = found.get(t.reason, 0) + t.events
        return found

    @property
    def programs(self) -> dict[Program, int]:
        return {p: n for p in Program if (n := sum(t.events for t in self.tallies if t.program is p))}


class Missing(StrEnum):
    """Why there is nothing to see in a report."""

    NO_WORKPLACE = "no_workplace"
    STAGE_OFF = "stage_off"
    NOTHING_CAME = "nothing_came"
    NO_PROMPT = "no_prompt"
    BELOW_FLOOR = "below_floor"
    NOTHING_CAPTURED = "nothing_captured"
    NO_ACCOUNT = "no_account"
    """Nothing was captured, and the reason is that there is nobody to learn for."""


class Because(StrEnum):
    """Why a report suggests what it suggests."""

    NOT_CONNECTED = "not_connected"
    NOTHING_RISKED = "nothing_risked"
    NO_PROMPT = "no_prompt"
    CORRECTED_MORE = "corrected_more"
    CORRECTED_AGAIN = "corrected_again"
    FAILING = "failing"
    SLOW = "slow"
    TOO_FEW = "too_few"
    BELOW_FLOOR = "below_floor"
    NEAR_FLOOR = "near_floor"
    RECALL_HELPS = "recall_helps"
    NOTHING_CAPTURED = "nothing_captured"
    WAITING = "waiting"
    NOTHING_KEPT = "nothing_kept"
    LEARNING_WORKS = "learning_works"
    ALL_THE_WAY = "all_the_way"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """To which stage, the present one where nothing should change. ``values``: the figures that the reason names."""

    to: Stage
    because: Because
    values: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True)
class HarnessReport:
    """``begin`` belongs to the span, ``end`` does not. ``since``: when the present stage began, None where it never changed.

    ``corrections``: as many weeks before the present stage began as since, in the project. ``floor``: the score below which
    recall stays silent. ``missing``: why there is nothing to see.
    """

    project_id: str
    begin: datetime
    end: datetime
    stage: Stage
    since: datetime | None
    workplaces: int
    stages: tuple[StageReport, ...]
    corrections: Comparison | None
    weeks: int
    floor: float
    suggestion: Suggestion
    missing: tuple[Missing, ...]
