"""What was corrected again: corrections of one thing, put together by subject, by memory, else by what they say."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from uuid import UUID

from whoknows.domain.correction import Correction, Period, Repeated
from whoknows.gate.duplicates import same_words

Near = Callable[[Correction, Correction], bool]
"""Whether two texts say nearly the same. Asked only where neither subject nor memory decide."""
LEAST = 2
"""The same thing corrected so often is what is reported."""


def things(corrections: Iterable[Correction], near: Near) -> list[list[Correction]]:
    """Each thing with its corrections in the order in which they were made; things in the order of their first one.

    Of two that name different subjects none is the other's, whatever they say; and corrections of two banks are never one
    thing. What is near is near to the first of a thing, so that a row of small steps does not join what is far apart.
    """
    found: list[_Thing] = []
    for c in sorted(corrections, key=lambda c: (c.at, c.id)):
        subject = None if c.subject is None else same_words(c.subject)
        thing = next((t for t in found if t.takes(c, subject, near)), None)
        if thing is None:
            thing = _Thing(c)
            found.append(thing)
        thing.add(c, subject)
    return [t.corrections for t in found]


def period(begin: datetime, end: datetime, corrections: Sequence[Correction], near: Near, complete: bool) -> Period:
    """What there was from ``begin`` to before ``end``; what was repeated most often comes first."""
    within = [c for c in corrections if begin <= c.at < end]
    every = things(within, near)
    repeated = sorted((_repeated(t) for t in every if len(t) >= LEAST), key=lambda r: (-r.count, r.first))
    return Period(begin, end, len(within), len(every), tuple(repeated), complete, _weeks(within))


def iso_week(at: datetime) -> str:
    """``2026-W05``, by UTC: weeks begin on Monday."""
    year, week, _ = at.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02}"


class _Thing:
    """Corrections of one thing, with what the next is compared by: each is folded once, however many there are."""

    def __init__(self, first: Correction) -> None:
        self._first = first
        self._subject: str | None = None
        self._abouts: set[UUID | None] = set()
        self.corrections: list[Correction] = []

    def add(self, c: Correction, subject: str | None) -> None:
        self.corrections.append(c)
        self._subject = subject if self._subject is None else self._subject
        self._abouts.add(c.about_key)

    def takes(self, c: Correction, subject: str | None, near: Near) -> bool:
        if c.audience != self._first.audience:
            return False
        if subject is not None and self._subject is not None:
            return subject == self._subject
        if c.about_key is not None and c.about_key in self._abouts:
            return True
        return c.text is not None and self._first.text is not None and near(self._first, c)


def _weeks(corrections: Iterable[Correction]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(iso_week(c.at) for c in corrections).items()))


def _repeated(thing: Sequence[Correction]) -> Repeated:
    return Repeated(
        subject=next((c.subject for c in reversed(thing) if c.subject is not None), None),
        about=next((c.about for c in reversed(thing) if c.about is not None), None),
        text=next((c.text for c in reversed(thing) if c.text is not None), None),
        owner=thing[0].owner,
        count=len(thing),
        weeks=_weeks(thing),
        first=thing[0].at,
        last=thing[-1].at,
        corrections=tuple(c.id for c in thing),
    )
