"""Follow what was overturned to what holds instead: who asks in the words of the old finds the new (rule R6).

A record need not repeat what it does away with, so that its own words may be far from a question that an old one would
have answered. The old text is therefore measured like any other, and its place is its successor's. It takes part in
nothing else: not in the statistics, not in the runners-up, not in what neighbours lend. Figures:
docs/decisions/0016-sources.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from whoknows.recall.fuse import Candidate
from whoknows.recall.rank import Ranked


def follow(ranked: Sequence[Ranked], former: Sequence[Candidate], leads: Mapping[UUID, UUID]) -> tuple[Ranked, ...]:
    """`ranked` with a place for the successor of each of `former`. Each memory keeps its best place and no other.

    `leads` names the successor of each. What is as strong as an overturned text goes before it. Deterministic.
    """
    through = [Ranked(replace(c, memory=leads[c.memory]), c.strength, None, c.memory) for c in former]
    through.sort(key=lambda r: (-r.strength, 0 if r.former is None else r.former.int))
    merged: list[Ranked] = []
    for item in ranked:
        while through and through[0].strength > item.strength:
            merged.append(through.pop(0))
        merged.append(item)
    best: dict[UUID, Ranked] = {}
    for item in (*merged, *through):
        best.setdefault(item.candidate.memory, item)
    return tuple(best.values())
