"""How sure is it that this hit answers the question? A calibrated score in [0, 1], and the floor below which silence
is right.

A logistic mix of what both arms say on absolute scales (fuse.py), three of them: for both arms, for nearness alone (a
question without searchable words), for words alone (embedder down, or a text that waits for its vectors). Hits across
two scripts have their own level, and there, with no words to agree, the lead over the runners-up counts. For nearness
alone, the best of many unrelated texts comes nearer than the best of few (the maximum of n draws grows like sqrt(2 ln
n)).

All constants are fitted by bench/quality/fit_floor.py; figures and what was tried:
docs/decisions/0004-fusion-and-floor.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.recall.fuse import Candidate


@dataclass(frozen=True, slots=True)
class Calibration:
    """Weights of one logistic mix, in the order of the terms of `logit`."""

    bias: float
    dense: float
    lexical: float
    crossed: float
    lead: float
    crowd: float


BOTH = Calibration(bias=-4.991, dense=0.488, lexical=3.792, crossed=0.694, lead=0.806, crowd=0.0)
NEARNESS = Calibration(bias=-1.148, dense=1.037, lexical=0.0, crossed=0.533, lead=0.299, crowd=-2.402)
WORDS = Calibration(bias=-2.422, dense=0.0, lexical=5.643, crossed=0.0, lead=0.0, crowd=0.0)

DEFAULT_FLOOR = 0.22
"""At or above it, 96 % or more of the answerable questions of every set are still answered (decision 0004)."""

RUNNERS_UP = 5
"""The lead is taken over the mean of so many next-nearest memories."""

UNRELATED = 1.0
"""Nearness, in spreads above background, that stands for a runner-up where the reader sees too few memories to have
one."""

COMPANY = 0.2
"""Distance in strength at which a follower keeps half of the best score."""

CROWD = 50
"""Up to so many visible memories the crowd grows; beyond, nothing more was to be measured (500 to 8,000 texts)."""


@dataclass(frozen=True, slots=True)
class Setting:
    """What is the same for all hits of one question."""

    searched_words: bool
    visible: int
    runners_up: float


def setting(candidates: Sequence[Candidate], *, searched_words: bool, visible: int) -> Setting:
    """From all candidates of a question. `searched_words`: the lexical arm answered, and the question had terms for
    it."""
    dense = sorted((c.dense for c in candidates if c.dense is not None), reverse=True)[1 : RUNNERS_UP + 1]
    missing = RUNNERS_UP - len(dense)
    return Setting(searched_words, visible, (sum(dense) + missing * UNRELATED) / RUNNERS_UP)


def score(candidate: Candidate, about: Setting) -> float:
    """Calibrated score in [0, 1]. Never falls when the hit comes nearer or shares more words, all else being
    equal."""
    mix = WORDS if candidate.dense is None else BOTH if about.searched_words else NEARNESS
    return 1.0 / (1.0 + math.exp(-logit(mix, candidate, about)))


def in_company(scores: Sequence[float], strengths: Sequence[float]) -> tuple[float, ...]:
    """Scores of a ranked list, best first, from each hit's own score and its strength: never rising.

    A hit is at least as sure as those after it, and one that stands close behind a sure one shares its sureness,
    halved for every `COMPANY` of strength between: what answers a question is often told in several turns, each weak
    by itself. The best score is the highest that any hit has by itself, so company never turns silence into an
    answer.
    """
    out: list[float] = []
    highest = 0.0
    for score in reversed(scores):
        highest = max(highest, score)
        out.append(highest)
    out.reverse()
    behind = 0.0  # recency may swap near-ties, so strengths can rise a little; the distance never shrinks
    for i, strength in enumerate(strengths):
        behind = max(behind, strengths[0] - strength)
        out[i] = max(out[i], highest * 2.0 ** (-behind / COMPANY))
    return tuple(out)


def logit(mix: Calibration, candidate: Candidate, about: Setting) -> float:
    """The mix before it is squeezed into [0, 1]."""
    dense = candidate.dense or 0.0
    crowd = math.sqrt(2.0 * math.log(min(max(about.visible, 1), CROWD)))
    value = mix.bias + mix.dense * dense + mix.lexical * candidate.lexical + mix.crowd * crowd
    if candidate.crossed:
        value += mix.crossed + mix.lead * (dense - about.runners_up)
    return max(-60.0, min(60.0, value))  # beyond it exp() only overflows
