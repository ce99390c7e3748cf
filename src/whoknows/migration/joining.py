"""Statements that say the same, in the same words or almost, become one that has all their sources."""

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from whoknows.gate.duplicates import same_words
from whoknows.gate.near import alike, differs, digits

ALIKE = 0.9
"""Share of common words from which two statements of one project are one, where no number, name or negation differs. Higher
than for what is distilled (0.7): here nobody asked for it to be joined."""


class Joiner:
    """Tells of each statement which earlier one of its project says the same."""

    def __init__(self) -> None:
        self._exact: dict[tuple[str | None, str], int] = {}
        # By project, numbers and a long word: what has other numbers is never the same.
        self._near: dict[tuple[str | None, frozenset[str], str], list[int]] = defaultdict(list)
        self._texts: dict[int, str] = {}

    def earlier(self, number: int, project: str | None, text: str) -> int | None:
        """The number of the earlier one, None for the first to say it."""
        words = same_words(text)
        known = self._exact.setdefault((project, words), number)
        if known != number:
            return known
        keys = [(project, frozenset(digits(text)), word) for word in _long_words(words)]
        for candidate in islice(self._candidates(keys, len(text)), _MOST):
            other = self._texts[candidate]
            if alike(other, text) >= ALIKE and differs(other, text) is None:
                return candidate
        self._texts[number] = text
        for key in keys:
            self._near[key].append(number)
        return None

    def _candidates(self, keys: list[tuple[str | None, frozenset[str], str]], length: int) -> Iterator[int]:
        # Two texts with nine tenths of their words in common have one of the three longest of each in common, nearly always:
        # what is missed stays two memories, which is no harm.
        seen: set[int] = set()
        for key in keys:
            for candidate in reversed(self._near.get(key, ())):
                if candidate not in seen and _SHORTEST < len(self._texts[candidate]) / length < 1 / _SHORTEST:
                    seen.add(candidate)
                    yield candidate


def _long_words(words: str) -> list[str]:
    pieces = {piece for run in _RUN.findall(words) for piece in ([run] if run[0] < "\u3400" else _fours(run))}
    return sorted(pieces, key=lambda p: (-len(p), p))[:3]


def _fours(run: str) -> list[str]:
    return [run[n : n + 4] for n in range(max(1, len(run) - 3))]


_MOST = 50
"""Texts that one is compared with, the latest first."""
_SHORTEST = 0.75
_RUN = re.compile(r"[\u3400-\u9fff]+|[^\W\u3400-\u9fff]+")
