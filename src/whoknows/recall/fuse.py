"""Put both arms on absolute scales and add them: one number per candidate, comparable between questions and readers.

Lexical: BM25 divided by the total idf of the question, so that 1 is "every word, at ordinary length". A
cross-language question finds nothing and so adds nothing: an arm without a strong hit has no vote, which rank fusion
cannot say. Dense: cosine above the question's background, in the encoder's own units of spread. Neither depends on
the other candidates (as min-max does, which makes the best irrelevant hit 1.0 and can never abstain). Figures:
docs/decisions/0004.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from uuid import UUID

from whoknows.recall.hits import Arms, DenseArm, LexicalArm

K1, B = 0.9, 0.4
"""BM25 as in Anserini (Lin et al. 2016): softer on length than 1.2 / 0.75, better on short turns, equal on
passages."""

DENSE_WEIGHT = 0.045
"""What one spread above background counts, against 1 for full lexical agreement. Flat between 0.04 and 0.07."""

CROSSED_WORDS = 0.25
"""What a text in another script than the question is credited for words, which it cannot share: about what an
unrelated text in the question's own script shares by chance. Without it, a Chinese question beside 400 Chinese texts
has its English answer among the first five in 53 % of the cases, with it in 91 %; Chinese answers lose nothing."""

IDF_PRIOR = 50
"""Imagined texts without the term, added to the visible ones: with three memories in sight an idf says little."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory found by either arm, on absolute scales.

    `lexical` >= 0 is BM25 over the question's total idf. `dense` is in spreads above background; None if the dense
    arm did not answer or the memory has no vector yet. `crossed`: question and memory are written in different
    scripts.
    """

    memory: UUID
    lexical: float
    dense: float | None
    crossed: bool
    credit: float
    bm25: float | None
    cosine: float | None

    @property
    def strength(self) -> float:
        """Both arms in one number."""
        return max(self.lexical, self.credit) + (DENSE_WEIGHT * self.dense if self.dense is not None else 0.0)


def idf(visible: int, frequency: int) -> float:
    """Inverse document frequency over what the reader may see, smoothed by `IDF_PRIOR`. The SQL must use the same."""
    return math.log(1 + (visible + IDF_PRIOR - frequency + 0.5) / (frequency + 0.5))


def total_idf(arm: LexicalArm) -> float:
    """Weighted idf of all terms of the question, found or not: what a text of ordinary length with all of them would
    score."""
    return sum(term.weight * idf(arm.visible, df) for term, df in zip(arm.terms, arm.frequencies, strict=True))


def known_share(arm: LexicalArm | None) -> float:
    """Share in [0, 1] of the question's idf whose terms occur anywhere in sight; 0 for an arm that did not answer."""
    if arm is None or not arm.terms:
        return 0.0
    known = sum(term.weight * idf(arm.visible, df) for term, df in zip(arm.terms, arm.frequencies, strict=True) if df > 0)
    return known / total_idf(arm)


def fuse(arms: Arms) -> tuple[Candidate, ...]:
    """The union of both lists. A memory that an arm's list leaves out is taken to be as weak as that list's last.

    For the lexical arm that is 0: what shares no term is absent for that reason, and what is beyond the top K is
    close to it.
    """
    bm25 = {hit.memory: hit.bm25 for hit in arms.lexical.hits} if arms.lexical else {}
    cosine = {hit.memory: hit.cosine for hit in arms.dense.hits} if arms.dense else {}
    searched = arms.lexical is not None and bool(arms.lexical.terms)
    total = total_idf(arms.lexical) if arms.lexical and searched else 1.0
    last = min(cosine.values(), default=None)
    out: list[Candidate] = []
    for memory in dict.fromkeys((*bm25, *cosine)):
        card = arms.cards[memory]
        near = cosine.get(memory, last if card.embedded else None)
        crossed = card.wide != arms.wide_question
        out.append(
            Candidate(
                memory=memory,
                lexical=bm25.get(memory, 0.0) / total,
                dense=_above(arms.dense, near, card.wide),
                crossed=crossed,
                credit=CROSSED_WORDS if crossed and searched and near is not None else 0.0,
                bm25=bm25.get(memory),
                cosine=cosine.get(memory),
            )
        )
    return tuple(out)


def fuse_former(arms: Arms) -> tuple[Candidate, ...]:
    """What was overturned, on the same scales, under its own ids: what is current is measured as if it were not there."""
    searched = arms.lexical is not None and bool(arms.lexical.terms)
    total = total_idf(arms.lexical) if arms.lexical and searched else 1.0
    out: list[Candidate] = []
    for former in arms.former:
        crossed = former.wide != arms.wide_question
        dense = _above(arms.dense, former.cosine, former.wide)
        credit = CROSSED_WORDS if crossed and searched and dense is not None else 0.0
        bm25 = former.bm25 or None
        out.append(Candidate(former.memory, former.bm25 / total, dense, crossed, credit, bm25, former.cosine))
    return tuple(out)


def _above(arm: DenseArm | None, cosine: float | None, wide: bool) -> float | None:
    if arm is None or cosine is None:
        return None
    level = arm.background.wide if wide else arm.background.narrow
    return (cosine - level) / arm.background.spread
