"""What was corrected again: corrections of one thing, put together by subject, by memory, else by what they say."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

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
    found: list[list[Correction]] = []
    for c in sorted(corrections, key=lambda c: (c.at, c.id)):
        thing = next((t for t in found if _belongs(c, t, near)), None)
        if thing is None:
            found.append([c])
        else:
            thing.append(c)
    return found


def period(begin: datetime, end: datetime, corrections: Sequence[Correction], near: Near, complete: bool) -> Period:
    """What there was from ``begin`` to before ``end``; what was repeated most often comes first."""
    within = [c for c in corrections if begin <= c.at < end]
    every = things(within, near)
    repeated = sorted((_repeated(t) for t in every if len(t) >= LEAST), key=lambda r: (-r.count, r.first))
    return Period(begin, end, len(within), len(every), tuple(repeated), complete)


def iso_week(at: datetime) -> str:
    """``2026-W05``, by UTC: weeks begin on Monday."""
    year, week, _ = at.astimezone(UTC).isocalendar()
    return f"{year}-W{week:02}"


def _belongs(c: Correction, thing: Sequence[Correction], near: Near) -> bool:
    first = thing[0]
    if c.audience != first.audience:
        return False
    subject = next((same_words(t.subject) for t in thing if t.subject is not None), None)
    if c.subject is not None and subject is not None:
        return same_words(c.subject) == subject
    if c.about_key is not None and any(t.about_key == c.about_key for t in thing):
        return True
    return c.text is not None and first.text is not None and near(first, c)


def _repeated(thing: Sequence[Correction]) -> Repeated:
    weeks = Counter(iso_week(c.at) for c in thing)
    return Repeated(
        subject=next((c.subject for c in reversed(thing) if c.subject is not None), None),
        about=next((c.about for c in reversed(thing) if c.about is not None), None),
        text=next((c.text for c in reversed(thing) if c.text is not None), None),
        owner=thing[0].owner,
        count=len(thing),
        weeks=tuple(sorted(weeks.items())),
        first=thing[0].at,
        last=thing[-1].at,
        corrections=tuple(c.id for c in thing),
    )
