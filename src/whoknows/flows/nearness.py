"""Nearness: whether two corrections say nearly the same, where neither a subject nor a memory decides."""

from collections.abc import Mapping, Sequence

from whoknows.domain.correction import Correction, CorrectionId
from whoknows.gate.near import differs
from whoknows.recall.tokens import text_terms

CANDIDATE = 0.86
"""Cosine from which two corrections are looked at."""
NEAR, WORDS = 1.01, 0.2
"""They are of one thing where the cosine and ``WORDS`` of the share of common words come to ``NEAR`` (docs/decisions/0017)."""
COMMON = 0.5
"""The share of common words that makes them one thing where one has no vector."""


class Nearness:
    """Whether two corrections say nearly the same: by their vectors and words, else by words alone.

    What says another number or names something else is another thing. A "not" is none: each correction may say what is right
    or what is wrong.
    """

    def __init__(self, corrections: Sequence[Correction], near: Mapping[tuple[CorrectionId, CorrectionId], float]) -> None:
        self._cosines = near
        self._words = {c.id: frozenset(text_terms(c.text)) for c in corrections if c.text is not None}

    def __call__(self, a: Correction, b: Correction) -> bool:
        if a.text is None or b.text is None:
            return False
        common = self._common(a, b)
        if a.measured and b.measured:
            cosine = self._cosines.get((a.id, b.id), self._cosines.get((b.id, a.id), 0.0))
            close = cosine + WORDS * common >= NEAR
        else:
            close = common >= COMMON
        return close and differs(a.text, b.text) not in ("numbers", "names")

    def _common(self, a: Correction, b: Correction) -> float:
        first, second = self._words[a.id], self._words[b.id]
        return 2 * len(first & second) / max(1, len(first) + len(second))
