"""What grep looks for: the words of a question as they stand, and how much of them a text holds.

Nothing is stemmed, translated or weighed: a word is found where its letters stand. Chinese has no blanks, so there each pair of
neighbouring characters is a word; function words of both languages are left out, as in the lexical arm.
"""

import re
import unicodedata
from itertools import pairwise

from whoknows.recall.stopwords import CHINESE, ENGLISH, PARTICLES

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{_HAN}]+|[^\W_{_HAN}]+(?:[-_.][^\W_{_HAN}]+)*")
_IS_HAN = re.compile(f"[{_HAN}]")


def plain(text: str) -> str:
    """The form in which words are looked for: width and case do not count."""
    return unicodedata.normalize("NFKC", text).casefold()


def words(question: str) -> frozenset[str]:
    """Its distinct words. Empty for a question of nothing but function words."""
    found: set[str] = set()
    for run in _RUN.findall(plain(question)):
        if not _IS_HAN.match(run):
            if run not in ENGLISH:
                found.add(run)
            continue
        pairs = [a + b for a, b in pairwise(run)] or [run]
        found |= {p for p in pairs if p not in CHINESE and PARTICLES.isdisjoint(p)}
    return frozenset(found)


def score(asked: frozenset[str], text: str) -> float:
    """The share of the words that ``text``, in its plain form, holds: in [0, 1]; 0 where nothing is asked for."""
    return sum(word in text for word in asked) / len(asked) if asked else 0.0
