"""A plot of corrections over weeks: the places of its bars, in the units of an SVG."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from whoknows.domain.correction import Period
from whoknows.gate.repeated import iso_week

HEIGHT, STEP, BAR = 160, 40, 24
_HEAD, _FOOT = 20, 24
_MOST_LABELS = 14


@dataclass(frozen=True, slots=True)
class Bar:
    """One week: ``count`` corrections, of which ``again`` are of things that were corrected more than once."""

    week: str
    begins: datetime
    count: int
    again: int
    x: int
    y: float
    height: float
    again_y: float
    again_height: float
    label: str | None


@dataclass(frozen=True, slots=True)
class Plot:
    """``most``: the number at the top line. ``floor``: where the bars stand."""

    bars: tuple[Bar, ...]
    most: int
    width: int
    height: int
    top: int
    floor: int


def plot(period: Period) -> Plot:
    """A bar for each week of ``period``, also for those in which nothing was corrected."""
    counts = dict(period.weeks)
    again: Counter[str] = Counter()
    for thing in period.repeated:
        again.update(dict(thing.weeks))
    weeks = _weeks(period.begin, period.end)
    most = max(counts.values(), default=0) or 1
    floor, room = HEIGHT - _FOOT, HEIGHT - _FOOT - _HEAD
    every = max(1, -(-len(weeks) // _MOST_LABELS))

    def bar(n: int, week: str, begins: datetime) -> Bar:
        count, repeated = counts.get(week, 0), again[week]
        height, part = round(room * count / most, 1), round(room * repeated / most, 1)
        return Bar(
            week=week,
            begins=begins,
            count=count,
            again=repeated,
            x=n * STEP + (STEP - BAR) // 2,
            y=floor - height,
            height=height,
            again_y=floor - part,
            again_height=part,
            label=week[-3:] if (len(weeks) - 1 - n) % every == 0 else None,
        )

    bars = tuple(bar(n, week, begins) for n, (week, begins) in enumerate(weeks))
    return Plot(bars, most, max(1, len(bars)) * STEP, HEIGHT, _HEAD, floor)


def _weeks(begin: datetime, end: datetime) -> Sequence[tuple[str, datetime]]:
    begin = begin.astimezone(UTC)
    monday = (begin - timedelta(days=begin.weekday())).replace(hour=0, minute=0, second=0, microsecond=0)
    found: list[tuple[str, datetime]] = []
    while monday < end:
        found.append((iso_week(monday), monday))
        monday += timedelta(weeks=1)
    return found
