"""How sure the best answers to one's newest questions were: a histogram, with the floor among its bars."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.trace import Asked

BINS = 20


@dataclass(frozen=True, slots=True)
class Bar:
    """Questions whose best score lies in [``begin``, ``end``); ``height`` is in percent of the highest bar."""

    begin: float
    end: float
    questions: int
    height: float


@dataclass(frozen=True, slots=True)
class Histogram:
    bars: Sequence[Bar]
    floor: float
    questions: int
    answered: int

    @property
    def most(self) -> int:
        return max((b.questions for b in self.bars), default=0)


def histogram(asked: Sequence[Asked], floor: float | None = None) -> Histogram:
    """Twenty bars over [0, 1]; a question that found nothing at all counts as 0. No ``floor``: the usual one."""
    usual = Counter(a.floor for a in asked).most_common(1)
    counts = Counter(min(BINS - 1, int(a.best * BINS + 1e-9)) for a in asked)
    most = max(counts.values(), default=1)
    bars = [Bar(n / BINS, (n + 1) / BINS, counts[n], round(100 * counts[n] / most, 1)) for n in range(BINS)]
    line = floor if floor is not None else usual[0][0] if usual else 0.0
    return Histogram(bars, line, len(asked), sum(a.answered > 0 for a in asked))
