"""A question is aimed and its background is measured by the cohort alone."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.recall.background import COHORT_NARROW, COHORT_WIDE, Cohort
from whoknows.recall.tokens import is_wide

COHORT = Cohort.of(wide=[(0.8, 0.6, 0.0), (0.8, 0.6, 0.0)], narrow=[(0.8, 0.0, 0.6), (0.8, 0.0, 0.6)])


def dot(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def test_the_cohort_is_written_in_the_script_that_it_stands_for() -> None:
    assert all(map(is_wide, COHORT_WIDE))
    assert not any(map(is_wide, COHORT_NARROW))
    assert len(COHORT_WIDE) == len(COHORT_NARROW) == len({*COHORT_WIDE, *COHORT_NARROW}) / 2


def test_aiming_takes_out_most_of_the_script() -> None:
    plain = (0.8, 0.6, 0.0)
    aimed = COHORT.aim(plain).vector
    assert abs(dot(aimed, COHORT.script)) < 0.5 * abs(dot(plain, COHORT.script))


@given(st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: math.hypot(*v) > 0.1))
def test_an_aimed_question_is_a_unit_vector_and_its_background_is_its_nearness_to_the_cohort(
    raw: tuple[float, float, float],
) -> None:
    length = math.hypot(*raw)
    aimed = COHORT.aim([x / length for x in raw])
    size = math.hypot(*aimed.vector)
    assert size == pytest.approx(1.0) or size < 1.0  # shorter only for a question that is nothing but background
    assert aimed.background.wide == pytest.approx(dot(aimed.vector, COHORT.wide))
    assert aimed.background.narrow == pytest.approx(dot(aimed.vector, COHORT.narrow))


def test_an_encoder_that_sees_no_difference_has_a_spread_all_the_same() -> None:
    flat = Cohort.of([(1.0, 0.0)] * 2, [(1.0, 0.0)] * 2)
    assert flat.spread > 0
    assert flat.aim((0.0, 1.0)).background.spread == flat.spread
