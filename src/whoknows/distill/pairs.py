"""A fact beside a memory that it may be about, as one row of numbers."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from whoknows.distill.cues_change import CHANGING
from whoknows.distill.cues_lasting import LASTING
from whoknows.distill.cues_passing import PASSING
from whoknows.distill.signals import Numbers
from whoknows.domain.distilled import FactFound, Known, Said, Speaking
from whoknows.domain.memory import Category
from whoknows.gate.near import alike, differs
from whoknows.recall.tokens import is_wide, text_terms

COLUMNS = (
    "nearness",
    "no vector",
    "lead",
    "centred nearness",
    "above the others",
    "rare words shared",
    "longest run shared",
    "nearest of all",
    "new words",
    "alike",
    "fact in memory",
    "memory in fact",
    "shared name",
    "shared number",
    "new number",
    "lost number",
    "negation differs",
    "same type",
    "comparable",
    "same reach",
    "across languages",
    "nearness across languages",
    "the last",
    "recent",
    "shorter",
    "assistant",
    "corrects",
    "excepts",
    "rest stays",
    "says again",
    "echo",
    "unblocked",
    "reached",
    "settled",
    "always",
    "corrects a recent one",
    "frees a block",
    "averts a danger",
    "corrects and near",
    "again and near",
)
"""Names of the columns of `pair`, in order."""

_CUES = {c.name: c for c in (*LASTING, *PASSING, *CHANGING)}
_SAID = ("corrects", "excepts", "rest stays", "says again", "echo", "unblocked", "reached", "settled", "always")
_NUMBER = re.compile(
    r"\d+(?:[.,:]\d+)*|[零一二两三四五六七八九十百千万]{1,6}(?=[个条次天周月年家台人份元块米度倍位期章套种楼号点])"
)
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]*\d*|\d+[A-Za-z][\w.-]*")
_OPEN = frozenset({Category.RISK, Category.BLOCKING_ISSUE})
_KIND = {
    Category.DECISION: "choice",
    Category.WORKFLOW_RULE: "choice",
    Category.USER_PREFERENCE: "choice",
    Category.RESEARCH_NOTE: "finding",
    Category.PROJECT_PROGRESS: "milestone",
}
_MIDDLE, _WIDTH = 0.85, 0.05
"""Cosines of this embedder lie between 0.75 (nothing in common) and 0.95 (the same)."""
_CROWD = 10
"""Memories beside which one stands out or does not. An account that has fewer is judged as if strangers filled it up: a
lone memory would lead all others by any distance, and everything that is said would be about it."""
_STRANGERS = {True: (1.0, 0.0), False: (-0.2, -1.0)}
"""Nearness of the best of a dozen strangers and the mean of them, for texts in Han characters and for others, over our own
chats: short Chinese sentences lie close together whatever they say."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact and what is read off it once, whatever it is compared with."""

    fact: FactFound
    assistant: bool
    vector: Numbers | None
    mean: Numbers
    terms: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    cues: dict[str, float]


def comparable(new: Category, old: Category) -> bool:
    """Whether one may take the place of the other: a rule that of a choice, anything that of a danger or a block, but a choice
    never that of the finding which led to it."""
    return old in _OPEN or _KIND.get(new) == _KIND.get(old)


def statement(fact: FactFound, said: Said, vector: Sequence[float] | None, mean: Numbers) -> Statement:
    """``mean`` is that of many vectors: all texts lie near it, and nearness says more without it.

    ``said`` is the message around the fact: its cues count too ("那个决定改一下。…")."""
    return Statement(
        fact,
        said.role is Speaking.ASSISTANT,
        None if vector is None else np.asarray(vector, np.float32),
        mean,
        frozenset(text_terms(fact.text)),
        _names(fact.text),
        _numbers(fact.text),
        {name: float(_CUES[name].found(said.content[:_READ])) for name in _SAID},
    )


_RUN = 12
_READ = 2000
"""Characters of the message in which cues are looked for."""


def pairs(of: Statement, known: Sequence[Known]) -> Numbers:
    """One row for each of ``known``. Shape (len(known), len(COLUMNS))."""
    texts = [_Text(k, frozenset(text_terms(k.text)), _names(k.text), _numbers(k.text)) for k in known]
    near = [_nearness(of, k) for k in known]
    rare = _rarity([of.terms, *(t.terms for t in texts)])
    rows = [_pair(of, text, near, n, rare) for n, text in enumerate(texts)]
    return np.array(rows, np.float32).reshape(len(known), len(COLUMNS))


@dataclass(frozen=True, slots=True)
class _Text:
    memory: Known
    terms: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]


def _rarity(texts: Sequence[frozenset[str]]) -> dict[str, float]:
    """How much a term says among these texts: nothing where it stands in all of them."""
    counts = Counter(term for terms in texts for term in terms)
    return {term: math.log((len(texts) + 1) / count) for term, count in counts.items()}


def _pair(of: Statement, text: _Text, near: Sequence[float | None], place: int, rare: dict[str, float]) -> list[float]:
    fact, cues, memory = of.fact, of.cues, text.memory
    nearness = near[place]
    dense = 0.0 if nearness is None else nearness
    best, middle = _crowd([n for i, n in enumerate(near) if i != place and n is not None], is_wide(fact.text))
    shared = of.terms & text.terms
    across = float(is_wide(fact.text) != is_wide(memory.text))
    recent = 1.0 / (1 + memory.recency)
    worth = sum(rare[t] for t in of.terms)
    return [
        dense,
        float(nearness is None),
        0.0 if nearness is None else min(max(nearness - best, -2.0), 2.0),
        _centred(of, memory),
        0.0 if nearness is None else nearness - middle,
        sum(rare[t] for t in shared) / worth if worth else 0.0,
        min(_longest_run(fact.text, memory.text) / 8, 1.5),
        float(nearness is not None and nearness >= best),
        min(len(of.terms - text.terms) / 20, 1.5),
        alike(fact.text, memory.text),
        len(shared) / max(len(of.terms), 1),
        len(shared) / max(len(text.terms), 1),
        float(bool(of.names & text.names)),
        len(of.numbers & text.numbers) / max(len(of.numbers), 1),
        float(bool(of.numbers - text.numbers)),
        float(bool(text.numbers - of.numbers)),
        float(differs(fact.text, memory.text) == "negation"),
        float(fact.memory_type is memory.memory_type),
        float(comparable(fact.memory_type, memory.memory_type)),
        float(fact.scope is memory.scope),
        across,
        across * dense,
        float(memory.recency == 0),
        recent,
        float(len(fact.text) < 0.7 * len(memory.text)),
        float(of.assistant),
        *(cues[name] for name in _SAID),
        cues["corrects"] * recent,
        max(cues["unblocked"], cues["reached"]) * (memory.memory_type is Category.BLOCKING_ISSUE),
        max(cues["unblocked"], cues["reached"], cues["settled"]) * (memory.memory_type is Category.RISK),
        max(cues["corrects"], cues["excepts"]) * dense,
        max(cues["says again"], cues["echo"]) * dense,
    ]


def _crowd(others: Sequence[float], wide: bool) -> tuple[float, float]:
    """Nearness of the best of the others, and of all of them in the mean."""
    few = max(_CROWD - len(others), 0)
    usual_best, usual = _STRANGERS[wide]
    best = max([*others, usual_best] if few else others)
    return best, (sum(others) + few * usual) / (len(others) + few)


def _centred(of: Statement, memory: Known) -> float:
    """Cosine of what is left of both vectors without what all texts have in common."""
    if of.vector is None or memory.vector is None:
        return 0.0
    a, b = of.vector - of.mean, np.asarray(memory.vector, np.float32) - of.mean
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-9))


def _longest_run(a: str, b: str) -> int:
    """Characters of the longest text that stands in both, as far as `_RUN` characters."""
    a, b = a.casefold(), b.casefold()
    for length in range(_RUN, 1, -1):
        if any(a[i : i + length] in b and a[i : i + length].strip().isalnum() for i in range(len(a) - length + 1)):
            return length
    return 0


def _nearness(of: Statement, memory: Known) -> float | None:
    if of.vector is None or memory.vector is None:
        return None
    return (float(np.dot(of.vector, np.asarray(memory.vector, np.float32))) - _MIDDLE) / _WIDTH


def _names(text: str) -> frozenset[str]:
    return frozenset(m.casefold().rstrip(".") for m in _NAME.findall(text) if len(m) > 2)


def _numbers(text: str) -> frozenset[str]:
    return frozenset(m.translate(_DIGITS) for m in _NUMBER.findall(text))


_DIGITS = str.maketrans("零一二两三四五六七八九", "01223456789")
