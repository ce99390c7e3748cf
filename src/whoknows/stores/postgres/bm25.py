"""BM25 over the postings that the reader may see: exact, with the statistics of just those texts.

The database filters, counts nothing and ships each term's occurrences as two packed arrays; the sums are done here, in
NumPy, which takes a third of the time of the same sums in SQL (docs/decisions/0003). Source of the formula: Robertson and
Zaragoza 2009; k1 and b from ``recall.fuse``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whoknows.recall.fuse import K1, B, idf

Ranking = list[tuple[int, float]]
"""Numbers of memories with their scores, best first."""


@dataclass(frozen=True, slots=True)
class Scored:
    """``memories`` and their ``scores`` in no order; ``frequencies`` of each term, in the order of the terms."""

    memories: NDArray[np.int64]
    scores: NDArray[np.float64]
    frequencies: tuple[int, ...]

    def best(self, count: int) -> Ranking:
        """At most ``count``, best first. Equal scores are ordered by the number of the memory, so that the cut is never by
        chance."""
        memories, scores = self.memories, self.scores
        if count < len(scores):
            within = scores >= np.partition(scores, -count)[-count]
            memories, scores = memories[within], scores[within]
        order = np.lexsort((memories, -scores))[:count]
        return list(zip(memories[order].tolist(), scores[order].tolist(), strict=True))


def bm25_of(
    row: Mapping[str, Any], terms: Sequence[int], weights: Sequence[float], scored: Scored, visible: int, mean_length: float
) -> float:
    """Score one text that is not among those that were ``scored``, by their statistics.

    ``row``: its length, those of its terms that are asked for, and their frequencies.
    """
    worth = {t: w * idf(visible, f) for t, w, f in zip(terms, weights, scored.frequencies, strict=True)}
    norm = K1 * (1 - B + B * row["length"] / max(mean_length, 1.0))
    return sum(worth[t] * n * (K1 + 1) / (n + norm) for t, n in zip(row["terms"], row["frequencies"], strict=True))


def bm25(
    rows: Sequence[Mapping[str, Any]],
    terms: Sequence[int],
    weights: Sequence[float],
    visible: int,
    mean_length: float,
    allowed: NDArray[np.int64] | None,
) -> Scored:
    """Score each memory of ``rows``; ``allowed`` filters candidates, and never the statistics."""
    place = {term: n for n, term in enumerate(terms)}
    which = np.fromiter((place[r["term"]] for r in rows), np.int64, len(rows))
    sizes = np.fromiter((len(r["memories"]) for r in rows), np.int64, len(rows))
    frequencies = np.bincount(which, weights=sizes, minlength=len(terms)).astype(np.int64)
    counted = tuple(int(f) for f in frequencies)
    if not rows:
        return Scored(np.empty(0, np.int64), np.empty(0, np.float64), counted)
    worth = np.array([w * idf(visible, f) for w, f in zip(weights, counted, strict=True)])
    memories = np.concatenate([r["memories"] for r in rows])
    packed = np.concatenate([r["occurrences"] for r in rows])
    frequency = (packed & 0xFFFF).astype(np.float64)
    length = (packed >> 16).astype(np.float64)
    saturated = frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length / max(mean_length, 1.0)))
    parts = worth[np.repeat(which, sizes)] * saturated
    if allowed is not None:
        kept = np.isin(memories, allowed)
        memories, parts = memories[kept], parts[kept]
    unique, inverse = np.unique(memories, return_inverse=True)
    scores = np.bincount(inverse, weights=parts, minlength=len(unique)).astype(np.float64)
    return Scored(unique, scores, counted)
