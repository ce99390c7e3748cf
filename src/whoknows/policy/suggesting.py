"""Suggestions: whether the report of a project speaks for a stage more, for waiting, or for a stage less; a person decides."""

from dataclasses import dataclass

from whoknows.domain.harness import Stage
from whoknows.domain.harness_report import Because, Suggestion
from whoknows.policy.stages import following, preceding

ENOUGH = 50
"""Prompts in a stage that say something about it."""
SLOW_MS = 200.0
"""Milliseconds of the server's own time that somebody feels."""
_FAULTY = 0.1
"""Of prompts that failed, or were searched by words alone."""
_NEAR = 0.05
"""Between the middle score and the floor: closer, it is as likely beside the point as not."""
_WORSE = 2
"""Things more than before that are corrected again and again."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What the present stage brought so far. ``prompts``: those that were not left alone on purpose; ``failed``: of them, those
    that failed or were searched by words alone.

    ``median``: of the best scores of what was injected, None where nothing was. ``before`` and ``after``: things that were
    corrected at least twice, as long before the stage began as since.
    """

    stage: Stage
    workplaces: int
    floor: float
    prompts: int = 0
    injected: int = 0
    failed: int = 0
    p95: float = 0.0
    median: float | None = None
    captured: int = 0
    waiting: int = 0
    kept: int = 0
    before: int = 0
    after: int = 0


def suggested(b: Brought) -> Suggestion:
    """What speaks against going on comes first, the gravest before the rest."""
    if b.stage is Stage.OFF:
        return _from_off(b)
    if b.after >= b.before + _WORSE:
        return Suggestion(preceding(b.stage), Because.CORRECTED_MORE, {"before": b.before, "after": b.after})
    return _doubt(b) or _forward(b)


def _from_off(b: Brought) -> Suggestion:
    if not b.workplaces:
        return Suggestion(Stage.OFF, Because.NOT_CONNECTED)
    return Suggestion(Stage.READ_ONLY, Because.NOTHING_RISKED)


def _doubt(b: Brought) -> Suggestion | None:
    """Why to stay, or None."""
    if not b.prompts:
        return Suggestion(b.stage, Because.NO_PROMPT)
    if b.after > b.before:
        return Suggestion(b.stage, Because.CORRECTED_AGAIN, {"before": b.before, "after": b.after})
    if b.failed >= b.prompts * _FAULTY:
        return Suggestion(b.stage, Because.FAILING, {"failed": b.failed, "prompts": b.prompts})
    if b.p95 > SLOW_MS:
        return Suggestion(b.stage, Because.SLOW, {"p95": b.p95, "slow": SLOW_MS})
    if b.prompts < ENOUGH:
        return Suggestion(b.stage, Because.TOO_FEW, {"prompts": b.prompts, "enough": ENOUGH})
    if b.median is None:
        return Suggestion(b.stage, Because.BELOW_FLOOR, {"prompts": b.prompts})
    if b.median < b.floor + _NEAR:
        return Suggestion(b.stage, Because.NEAR_FLOOR, {"median": b.median, "floor": b.floor})
    if b.stage.captures and not b.captured:
        return Suggestion(b.stage, Because.NOTHING_CAPTURED)
    if b.stage.captures and 2 * b.waiting > b.captured:
        return Suggestion(b.stage, Because.WAITING, {"waiting": b.waiting, "captured": b.captured})
    if b.stage.captures and not b.kept:
        return Suggestion(b.stage, Because.NOTHING_KEPT, {"captured": b.captured})
    return None


def _forward(b: Brought) -> Suggestion:
    step = following(b.stage)
    if step is None:
        return Suggestion(b.stage, Because.ALL_THE_WAY)
    if b.stage.captures:
        return Suggestion(step, Because.LEARNING_WORKS, {"captured": b.captured, "kept": b.kept})
    values = {"injected": b.injected, "prompts": b.prompts, "median": b.median or 0.0, "floor": b.floor}
    return Suggestion(step, Because.RECALL_HELPS, values)
