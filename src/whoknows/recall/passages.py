"""Split a text into the passages that are embedded one by one.

An encoder answers for about 512 tokens and pools what is longer into one blurred vector, and its cost grows faster
than the length. So a text is cut at its own borders (paragraph, sentence, clause) into passages of about equal size,
and a memory is as near to a question as its best passage (max over passages: Callan 1994, "Passage-level evidence in
document retrieval").

Sizes are in *weights*: a wide character (Han, kana, Hangul) is 1, any other 0.4. One weight is then about 0.62 tokens
of multilingual-e5 for Chinese and English alike (measured on CMRC and XQuAD).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

PASSAGE_WEIGHT = 150
"""Largest weight of one passage. Why this size: docs/decisions/0004-fusion-and-floor.md."""

OVERLAP_WEIGHT = 30
"""Weight of the end of a passage that the next one repeats, so that a sentence keeps the one that names its
subject."""

INLINE_LIMIT = 2 * PASSAGE_WEIGHT
"""A text up to this weight (about three passages of 60 ms on one core) is embedded while it is written; a longer one
by a job, and it is found by its words meanwhile. Two thirds of a second per 1,000 weights is what one passage after
another costs."""

_NARROW = 0.4
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff\uff00-\uffef\U00020000-\U0003ffff]")
# Cut after these, best border first: a blank line, a line, a sentence, a clause, a blank.
_BORDERS = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[。！？!?；;…]+[”’」』）)\"']*|\.(?=\s)"),
    re.compile(r"[，、,:：—]"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a text: `text == whole[start:end]`, in characters. Never empty, never only white space."""

    start: int
    end: int
    text: str


def weight(text: str) -> float:
    """Size of `text` in weights, without encoding it. O(len(text))."""
    wide = len(_WIDE.findall(text))
    return wide + _NARROW * (len(text) - wide)


def is_inline(text: str) -> bool:
    """Whether `text` is embedded at once rather than by a job."""
    return weight(text) <= INLINE_LIMIT


def passages(text: str, limit: float = PASSAGE_WEIGHT, overlap: float = OVERLAP_WEIGHT) -> tuple[Passage, ...]:
    """The passages of `text` in order, each at most `limit` + `overlap` heavy. A text of only white space has none.

    Together they cover every character that is not white space at an edge; neighbours share whole pieces of up to
    `overlap`.
    """
    if weight(text) <= limit:
        return _trimmed(text, [(0, len(text))])
    pieces = _pieces(text, 0, len(text), limit, 0)
    total = weight(text)
    count = -(-total // limit)
    return _trimmed(text, _packed(text, pieces, total / count, limit, overlap))


def _pieces(text: str, start: int, end: int, limit: float, level: int) -> list[tuple[int, int]]:
    """Cut text[start:end] at sentence borders, and finer only where a piece is still heavier than half a passage."""
    small = limit / 2
    if weight(text[start:end]) <= small and level > 2:
        return [(start, end)]
    if level == len(_BORDERS):  # no border at all: a long key, a base64 blob
        step = int(small)
        return [(i, min(i + step, end)) for i in range(start, end, step)]
    cuts = [start, *(m.end() for m in _BORDERS[level].finditer(text, start, end) if m.end() < end), end]
    return [piece for a, b in pairwise(cuts) if a < b for piece in _pieces(text, a, b, limit, level + 1)]


def _packed(text: str, pieces: list[tuple[int, int]], aim: float, limit: float, overlap: float) -> list[tuple[int, int]]:
    """Join neighbouring pieces into spans of about `aim`, then let each span begin a little before the last one's
    end."""
    weights = [weight(text[a:b]) for a, b in pieces]
    spans: list[tuple[int, int]] = []
    first, held = 0, 0.0
    for i, more in enumerate(weights):
        if i > first and (held + more > limit or held + more / 2 > aim):
            spans.append((first, i))
            first, held = i, 0.0
        held += more
    spans.append((first, len(pieces)))
    out: list[tuple[int, int]] = []
    for n, (a, b) in enumerate(spans):
        first, repeated = a, 0.0
        while n > 0 and first > spans[n - 1][0] + 1 and repeated + weights[first - 1] <= overlap:
            first -= 1
            repeated += weights[first]
        out.append((pieces[first][0], pieces[b - 1][1]))
    return out


def _trimmed(text: str, spans: list[tuple[int, int]]) -> tuple[Passage, ...]:
    out: list[Passage] = []
    for a, b in spans:
        piece = text[a:b]
        left = len(piece) - len(piece.lstrip())
        kept = piece.strip()
        if kept:
            out.append(Passage(a + left, a + left + len(kept), kept))
    return tuple(out)
