"""The bars of corrections."""

from datetime import UTC, datetime, timedelta

from whoknows.console.plot import plot
from whoknows.domain.correction import Period, Repeated
from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Kind, Principal

END = datetime(2026, 1, 14, 12, tzinfo=UTC)
OWNER = Principal(PrincipalId(1), Kind.AGENT, "a")


def period(weeks: int, counts: dict[str, int], again: dict[str, int] | None = None) -> Period:
    thing = Repeated("s", None, "t", OWNER, 2, tuple((again or {}).items()), END, END, ())
    return Period(
        END - timedelta(weeks=weeks), END, sum(counts.values()), 1, (thing,) if again else (), True, tuple(counts.items())
    )


def test_every_week_has_its_place_also_over_the_turn_of_a_year() -> None:
    drawn = plot(period(3, {"2025-W53": 1}))
    assert [b.week for b in drawn.bars] == ["2025-W52", "2026-W01", "2026-W02", "2026-W03"]


def test_the_highest_bar_reaches_the_top_and_the_others_are_in_proportion() -> None:
    drawn = plot(period(2, {"2026-W01": 4, "2026-W02": 1}, {"2026-W01": 2}))
    high, low = drawn.bars[0], drawn.bars[1]
    assert (high.y, high.height) == (drawn.top, drawn.floor - drawn.top)
    assert low.height == round(high.height / 4, 1)
    assert (high.again, high.again_height) == (2, high.height / 2)
    assert low.again_height == 0
    assert all(b.y + b.height == drawn.floor for b in drawn.bars)


def test_bars_stand_side_by_side_within_the_width() -> None:
    drawn = plot(period(52, {}))
    assert all(a.x + 24 <= b.x for a, b in zip(drawn.bars, drawn.bars[1:], strict=False))
    assert drawn.bars[-1].x + 24 <= drawn.width
    assert 4 <= len([b for b in drawn.bars if b.label]) <= 14, "labels do not run into each other"


def test_nothing_is_drawn_without_height() -> None:
    assert {b.height for b in plot(period(4, {})).bars} == {0}
