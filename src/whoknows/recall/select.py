"""Choose what is returned: above the floor, up to the limit; the rest is named with its reason, for the trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.recall.hits import Dropped, Hit
from whoknows.recall.rank import Ranked


@dataclass(frozen=True, slots=True)
class Selection:
    """Hits best first, and every other candidate with why it is not among them."""

    hits: tuple[Hit, ...]
    dropped: tuple[Dropped, ...]


def select(ranked: Sequence[Ranked], scores: Sequence[float], floor: float, limit: int) -> Selection:
    """Apply the floor to each hit by itself, then the limit. `scores` go with `ranked`, in [0, 1], and never rise."""
    hits: list[Hit] = []
    dropped: list[Dropped] = []
    for item, score in zip(ranked, scores, strict=True):
        memory = item.candidate.memory
        if score < floor:
            dropped.append(Dropped(memory, score, "below_floor"))
        elif len(hits) >= limit:
            dropped.append(Dropped(memory, score, "beyond_limit"))
        else:
            hits.append(Hit(memory, score, item.candidate.bm25, item.candidate.cosine, item.neighbour, item.former))
    return Selection(tuple(hits), tuple(dropped))
