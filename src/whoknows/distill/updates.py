"""What a fact means to the memories that exist: new, the same again, or a change of one of them."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from whoknows.distill.cues_change import CHANGING
from whoknows.distill.model import Model
from whoknows.distill.pairs import COLUMNS, comparable, pairs, statement
from whoknows.distill.series import another_subject
from whoknows.domain.distilled import FactFound, Known, New, Relation, Said, Same, Updates
from whoknows.domain.memory import Category
from whoknows.gate.near import alike, differs, digits
from whoknows.recall.tokens import is_wide

SHAPE = (2, len(COLUMNS) + 1, 2)
"""Of the weights: with vectors and without; each column and the bias; is it about that memory, and does it then change it."""
ABOUT = 0.0
"""Logit from which on a fact is about a memory."""
SURE = 1.0
"""Logit from which on a fact changes a memory without a word that says so ("the licence covers 60 seats now")."""
_OPEN = frozenset({Category.RISK, Category.BLOCKING_ISSUE})
TOPICAL = {(True, True): 0.92, (False, False): 0.88}
ACROSS = 0.82
"""Cosine below which, without a word in common, nothing is about the same: two and a half deviations above the mean of
strangers in Han characters, and of others, over our own chats; across scripts, where words are never shared, less."""
_REST = next(c for c in CHANGING if c.name == "rest stays")


def relate(model: Model, fact: FactFound, said: Said, known: Sequence[Known], vector: Sequence[float] | None) -> Relation:
    """``vector`` is that of ``fact.text``, None where there is none."""
    if not known:
        return New()
    of = statement(fact, said, vector, model.mean)
    rows = pairs(of, known)
    mix = model.relating[int(vector is None)]
    logits = rows @ mix[:-1] + mix[-1]
    corrects = of.cues["corrects"] > 0
    logits[[another_subject(fact.text, k.text, corrects=corrects) for k in known], 0] = -np.inf
    best = int(logits[:, 0].argmax())
    memory, about = known[best], float(logits[best, 0])
    if about <= ABOUT or not _topical(fact, memory, vector):
        return New()
    if logits[best, 1] <= 0:
        return New() if _says_more(fact.text, memory.text) else Same(memory.id)
    said_so = max(of.cues[name] for name in ("corrects", "excepts", "rest stays")) > 0
    lifts = memory.memory_type in _OPEN and max(of.cues[name] for name in ("unblocked", "reached", "settled")) > 0
    if not said_so and not (comparable(fact.memory_type, memory.memory_type) and (lifts or about > SURE)):
        return New()
    lifted = lifts and memory.memory_type is Category.BLOCKING_ISSUE
    return Updates(memory.id, lifts=lifted, in_part=not lifted and _REST.found(said.content))


def in_place_of(fact: FactFound, old: Known) -> FactFound:
    """``fact`` as it stands when it takes the place of ``old``: a changed decision is a decision, a lifted block a block."""
    return replace(fact, memory_type=old.memory_type, scope=old.scope)


def _says_more(text: str, known: str) -> bool:
    """Whether ``text`` has a number that ``known`` has not, or denies what that says: then they are not joined (W7)."""
    return bool(digits(text) - digits(known)) or differs(text, known) == "negation"


def _topical(fact: FactFound, memory: Known, vector: Sequence[float] | None) -> bool:
    """Two facts that share neither a word nor a direction never retire each other, whatever else speaks for it."""
    if alike(fact.text, memory.text) > 0:
        return True
    if vector is None or memory.vector is None:
        return False
    least = TOPICAL.get((is_wide(fact.text), is_wide(memory.text)), ACROSS)
    return float(np.dot(vector, memory.vector)) >= least
