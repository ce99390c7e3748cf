"""Choose the order in which memories are offered to the budget: used lately, then tag hits, then by score (rules C3)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

RECENT = 8
"""Places that lately used memories have before all others. Not more: what was used once would be used for ever."""
TAGGED = 24
"""Places of those with a tag that stands in the message. The rest compete by score, with all others."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that may go in. ``score`` of a recall without a floor in [0, 1]; 0 for one that it did not find."""

    id: UUID
    score: float = 0.0
    last_used: datetime | None = None
    tags: tuple[str, ...] = ()


def choose(candidates: Sequence[Candidate], message: str) -> list[UUID]:
    """All of ``candidates``, best first. Equal ones stay in the given order, so that nothing hidden decides."""
    used = sorted((c for c in candidates if c.last_used), key=lambda c: (-_time(c), -c.score))[:RECENT]
    ranked = sorted(candidates, key=lambda c: -c.score)
    small = message.lower()
    tagged = [c for c in ranked if any(occurs(t, small) for t in c.tags)][:TAGGED]
    return list(dict.fromkeys(c.id for c in (*used, *tagged, *ranked)))


def gathered(scores: Mapping[UUID, float], pooled: Sequence[Candidate]) -> list[Candidate]:
    """One candidate for each memory: what the search scored, and what is known of it beside."""
    known: dict[UUID, Candidate] = {i: Candidate(i, s) for i, s in scores.items()}
    for c in pooled:
        before = known.get(c.id, Candidate(c.id, scores.get(c.id, 0.0)))
        known[c.id] = Candidate(c.id, before.score, c.last_used or before.last_used, c.tags or before.tags)
    return list(known.values())


def occurs(tag: str, text: str) -> bool:
    """Whether ``tag`` stands in ``text`` (small letters): as a word where it begins or ends with a letter of a script with
    spaces, anywhere in Chinese."""
    tag = tag.lower()
    before = r"(?<![a-z0-9_])" if tag[:1].isascii() and tag[:1].isalnum() else ""
    after = r"(?![a-z0-9_])" if tag[-1:].isascii() and tag[-1:].isalnum() else ""
    return re.search(f"{before}{re.escape(tag)}{after}", text) is not None


def _time(c: Candidate) -> float:
    return 0.0 if c.last_used is None else c.last_used.timestamp()
