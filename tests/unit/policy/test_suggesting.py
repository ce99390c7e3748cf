"""What the report of a project suggests: what speaks against going on has the word before what speaks for it."""

from dataclasses import replace

import pytest

from whoknows.domain.harness import Stage
from whoknows.domain.harness_report import Because
from whoknows.policy.suggesting import ENOUGH, Brought, suggested

GOOD = Brought(
    stage=Stage.READ_ONLY, workplaces=1, floor=0.2, prompts=ENOUGH, injected=20, p95=50, median=0.7, captured=10, kept=4
)


def test_what_is_off_and_registered_may_begin_and_what_is_not_registered_may_not() -> None:
    assert suggested(replace(GOOD, stage=Stage.OFF)).to is Stage.READ_ONLY
    none = suggested(replace(GOOD, stage=Stage.OFF, workplaces=0))
    assert (none.to, none.because) == (Stage.OFF, Because.NOT_CONNECTED)


@pytest.mark.parametrize(
    ("stage", "to", "because"),
    [
        (Stage.READ_ONLY, Stage.GOVERNED, Because.RECALL_HELPS),
        (Stage.GOVERNED, Stage.TEAM, Because.LEARNING_WORKS),
        (Stage.TEAM, Stage.TEAM, Because.ALL_THE_WAY),
    ],
    ids=str,
)
def test_good_figures_speak_for_one_step_more(stage: Stage, to: Stage, because: Because) -> None:
    said = suggested(replace(GOOD, stage=stage))
    assert (said.to, said.because) == (to, because)


@pytest.mark.parametrize(
    ("stage", "figures", "because"),
    [
        (Stage.READ_ONLY, {"prompts": 0}, Because.NO_PROMPT),
        (Stage.READ_ONLY, {"before": 1, "after": 2}, Because.CORRECTED_AGAIN),
        (Stage.READ_ONLY, {"failed": 5}, Because.FAILING),
        (Stage.READ_ONLY, {"p95": 201.0}, Because.SLOW),
        (Stage.READ_ONLY, {"prompts": ENOUGH - 1}, Because.TOO_FEW),
        (Stage.READ_ONLY, {"median": None}, Because.BELOW_FLOOR),
        (Stage.READ_ONLY, {"median": 0.24}, Because.NEAR_FLOOR),
        (Stage.GOVERNED, {"captured": 0}, Because.NOTHING_CAPTURED),
        (Stage.TEAM, {"waiting": 6}, Because.WAITING),
        (Stage.GOVERNED, {"kept": 0}, Because.NOTHING_KEPT),
    ],
    ids=str,
)
def test_one_figure_that_is_not_good_speaks_for_staying(stage: Stage, figures: dict[str, float], because: Because) -> None:
    said = suggested(replace(GOOD, stage=stage, **figures))
    assert (said.to, said.because) == (stage, because)
    assert suggested(replace(GOOD, stage=stage)).because is not because


def test_the_gravest_doubt_has_the_word() -> None:
    worst = replace(GOOD, stage=Stage.TEAM, prompts=10, failed=9, p95=900, median=None, captured=0, before=0, after=3)
    assert suggested(worst).because is Because.CORRECTED_MORE
    assert suggested(replace(worst, after=0)).because is Because.FAILING


@pytest.mark.parametrize(
    ("stage", "to"), [(Stage.READ_ONLY, Stage.OFF), (Stage.GOVERNED, Stage.READ_ONLY), (Stage.TEAM, Stage.GOVERNED)], ids=str
)
def test_more_that_is_corrected_again_and_again_speaks_for_one_step_back(stage: Stage, to: Stage) -> None:
    said = suggested(replace(GOOD, stage=stage, before=1, after=3))
    assert (said.to, said.because, said.values) == (to, Because.CORRECTED_MORE, {"before": 1, "after": 3})
