"""The histogram of best scores: which bar a question stands in, and where the floor is."""

from datetime import UTC, datetime

import pytest

from whoknows.console.score_histogram import BINS, histogram
from whoknows.domain.ids import MemoryId, new_memory_id, new_trace_id
from whoknows.domain.trace import Asked, Scored


def asked(*scores: float, floor: float = 0.22) -> Asked:
    scored = tuple(Scored(MemoryId(new_memory_id()), s, s >= floor) for s in scores)
    return Asked(new_trace_id(), "?", datetime.now(UTC), floor, scored)


@pytest.mark.parametrize(("best", "bar"), [(0.0, 0), (0.049, 0), (0.05, 1), (0.15, 3), (0.3, 6), (0.999, 19), (1.0, 19)])
def test_a_question_stands_in_the_bar_of_its_best_score(best: float, bar: int) -> None:
    bars = histogram([asked(best, best / 2)]).bars
    assert [n for n, b in enumerate(bars) if b.questions] == [bar]
    assert len(bars) == BINS


def test_what_found_nothing_counts_as_nothing_and_is_counted() -> None:
    told = histogram([asked(), asked(0.1), asked(0.8), asked(0.83)])
    assert (told.questions, told.answered, told.bars[0].questions) == (4, 2, 1)
    assert max(b.height for b in told.bars) == 100.0


def test_the_floor_is_the_usual_one_unless_a_trace_is_open() -> None:
    questions = [asked(0.5), asked(0.5), asked(0.5, floor=0.0)]
    assert histogram(questions).floor == 0.22
    assert histogram(questions, 0.7).floor == 0.7
    assert histogram([]).most == 0
