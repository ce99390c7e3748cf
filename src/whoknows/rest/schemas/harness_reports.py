"""Reports about harnesses on the wire: what programs got from memory, in figures."""

from datetime import datetime
from typing import Any

from pydantic import ConfigDict, Field

from whoknows.domain.harness import Program
from whoknows.domain.harness_report import Because, Missing
from whoknows.rest.schemas.corrections import Summary
from whoknows.rest.schemas.forms import Told
from whoknows.rest.schemas.workplaces import StageName

_AT = "2026-01-31T12:00:00Z"


class Amount(Told):
    """The sum, and of a single prompt the middle and what one in twenty exceeds."""

    total: int
    prompt_median: int
    prompt_p95: int


class ScoreSpread(Told):
    """Scores of what was injected, in [0, 1]."""

    lowest: float
    median: float
    """Of the best ones."""
    highest: float


class ServerTime(Told):
    """The server's own time for an event, in milliseconds."""

    p50: float
    p95: float


class CapturedFigures(Told):
    """What became of the exchanges that were captured."""

    exchanges: int
    waiting: int
    """Not heard yet, or given up."""
    nothing: int
    """Heard, and nothing in it was kept."""
    facts: dict[str, int] = Field(examples=[{"stored": 3, "merged": 2}])
    """What was kept: stored, merged, superseding, held, repeat."""
    skipped: dict[str, int]
    """Messages of which nothing was kept, by reason; what the gate refused among them."""


class StageFigures(Told):
    """One stage within the span. Prompts of people and what programs said of themselves are told apart by `skipped`."""

    stage: StageName
    first: datetime
    last: datetime
    sessions: int
    events: int
    prompts: int
    injected: int
    empty: int
    """Nothing reached the floor, or all of it was there already."""
    captured: int
    skipped: dict[str, int] = Field(examples=[{"short": 4}])
    failed: dict[str, int]
    degraded: dict[str, int]
    """Prompts that were searched by words alone, by reason."""
    programs: dict[Program, int]
    memories: Amount
    characters: Amount
    tokens: Amount
    scores: ScoreSpread | None
    """null where nothing was injected."""
    latency: ServerTime
    captures: CapturedFigures


_AMOUNT = {"total": 840, "prompt_median": 120, "prompt_p95": 410}
_STAGE: dict[str, Any] = {
    "stage": "read-only",
    "first": _AT,
    "last": _AT,
    "sessions": 2,
    "events": 9,
    "prompts": 7,
    "injected": 4,
    "empty": 2,
    "captured": 0,
    "skipped": {"short": 1},
    "failed": {},
    "degraded": {},
    "programs": {"claude-code": 9},
    "memories": _AMOUNT,
    "characters": _AMOUNT,
    "tokens": _AMOUNT,
    "scores": {"lowest": 0.52, "median": 0.71, "highest": 0.93},
    "latency": {"p50": 12.5, "p95": 31.0},
    "captures": {"exchanges": 0, "waiting": 0, "nothing": 0, "facts": {}, "skipped": {}},
}


class SuggestedStage(Told):
    """Whether the figures speak for a stage more, for waiting, or for a stage less. A person decides."""

    stage: StageName
    """The present one where nothing should change."""
    because: Because
    values: dict[str, float]
    """The figures that the reason names."""
    detail: str
    """The reason in English."""


class MissingFigure(Told):
    """Why there is nothing to see."""

    code: Missing
    detail: str


class HarnessReport(Told):
    """What programs got from memory in a project. Figures of your account alone; no text, and nothing of others."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "project_id": "boss",
                    "since": _AT,
                    "until": _AT,
                    "stage": "read-only",
                    "stage_since": _AT,
                    "workplaces": 2,
                    "stages": [_STAGE],
                    "corrections": None,
                    "floor": 0.22,
                    "suggestion": {
                        "stage": "read-only",
                        "because": "too_few",
                        "values": {"prompts": 7, "enough": 50},
                        "detail": "prompts so far that asked for something: 7; 50 say more",
                    },
                    "missing": [],
                }
            ]
        }
    )

    project_id: str
    since: datetime
    """It begins with this moment."""
    until: datetime
    """It ends before this one."""
    stage: StageName
    """The present one."""
    stage_since: datetime | None
    workplaces: int
    stages: list[StageFigures]
    """In their order; only those in which something came."""
    corrections: Summary | None
    """As many weeks before the present stage began as since: what was corrected at least twice, before and after. null where
    the stage was never changed."""
    floor: float
    """The score below which nothing is put beside a prompt."""
    suggestion: SuggestedStage
    missing: list[MissingFigure]
    """Why there is nothing to see, where there is nothing."""
