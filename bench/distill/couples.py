"""Training of updates.py: each statement of our chats beside the memories that its account had by then, and beside others."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from distill.fit import balanced, logistic
from distill.rows import Row, by_conversation
from distill.vectors import Vectors
from whoknows.distill.model import TYPES
from whoknows.distill.pairs import COLUMNS, pairs, statement
from whoknows.distill.signals import Numbers
from whoknows.distill.updates import SHAPE
from whoknows.domain.distilled import FactFound, Known, Reach
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category

STRANGERS = 12
"""Memories of other conversations beside those of its own: an account knows more than one conversation."""
TYPE_RIGHT, REACH_RIGHT = 0.7, 0.9
"""How often the classifier is right about a statement that it never saw; else any is as likely."""
RIDGE = 3.0
BALANCE = (0.4, 0.0)
_SEED = 7


@dataclass(frozen=True, slots=True)
class Couples:
    """Rows of `pairs`, with and without vectors; ``about``: 1 where it is about that memory; ``changes``: 1 changes, 0 repeats,
    -1 neither."""

    seen: Numbers
    bare: Numbers
    about: Numbers
    changes: Numbers


def couples(rows: Sequence[Row], vectors: Vectors, mean: Numbers) -> Couples:
    """Deterministic: strangers are drawn with a fixed seed."""
    draw = random.Random(_SEED)
    everything = [k for row in rows for k in _memories(row, vectors)]
    seen: list[Numbers] = []
    bare: list[Numbers] = []
    about: list[float] = []
    changes: list[float] = []
    for conv in by_conversation(rows).values():
        for row, told, known, target in _statements(conv, vectors):
            fact = _as_judged(told, draw)
            others = [k for k in draw.sample(everything, min(STRANGERS, len(everything))) if k[0] != row.conv]
            beside = [*known, *(replace(k, recency=len(known) + n) for n, (_, k) in enumerate(others))]
            if not beside:
                continue
            seen.append(pairs(statement(fact, row.said, vectors[fact.text], mean), beside))
            blind = [replace(k, vector=None) for k in beside]
            bare.append(pairs(statement(fact, row.said, None, mean), blind))
            about += [float(k.id == target) for k in beside]
            changes += [-1.0 if k.id != target else float(not row.same) for k in beside]
    return Couples(np.concatenate(seen), np.concatenate(bare), np.array(about, np.float32), np.array(changes, np.float32))


def _as_judged(fact: FactFound, draw: random.Random) -> FactFound:
    """With the type and the reach that the classifier would have given it: an update has those of its memory by definition, and
    what it was trained on must not be surer than what it will be asked about."""
    kind = fact.memory_type if draw.random() < TYPE_RIGHT else draw.choice(TYPES)
    reach = fact.scope if draw.random() < REACH_RIGHT else draw.choice(tuple(Reach))
    return replace(fact, memory_type=kind, scope=reach)


def fit(found: Couples) -> Numbers:
    """Weights of SHAPE."""
    out = np.zeros(SHAPE, np.float32)
    known = found.changes >= 0
    for number, x in enumerate((found.seen, found.bare)):
        for column, (rows, y) in enumerate(((x, found.about), (x[known], found.changes[known]))):
            # Each column weighs the same under the penalty.
            middle, spread = rows.mean(0), rows.std(0) + 1e-6
            weights, bias = logistic(
                (rows - middle) / spread, y.astype(float), balanced(y.astype(float), BALANCE[column]), RIDGE
            )
            out[number, : len(COLUMNS), column] = weights / spread
            out[number, len(COLUMNS), column] = bias - float((weights / spread) @ middle)
    return out


def texts(rows: Sequence[Row]) -> list[str]:
    return [r.said.content for r in rows if r.labels or r.updates]


def _statements(conv: Sequence[Row], vectors: Vectors) -> Iterator[tuple[Row, FactFound, list[Known], MemoryId | None]]:
    """Each statement with the memories before it, and the one that it is about."""
    known: list[Known] = []
    of: dict[str, MemoryId] = {}
    for row in conv:
        target = of.get(row.updates) if row.updates else None
        if row.labels or row.same:
            label = row.labels[0] if row.labels else None
            old = next((k for k in known if k.id == target), None)
            kind = label.memory_type if label else old.memory_type if old else Category.DECISION
            reach = label.scope if label else old.scope if old else Reach.PROJECT
            text = row.said.content
            fact = FactFound(text, text, 0, len(text), kind, reach, 1.0)
            # A project's fact meets the memories of its project and the general ones.
            visible = [k for k in known if k.scope is Reach.GLOBAL or k.project_id == row.said.project_id]
            recent = [replace(k, recency=n) for n, k in enumerate(reversed(visible))]
            yield row, fact, recent, target
        if row.labels:
            made = [k for _, k in _memories(row, vectors)]
            if target is not None:
                old = next(k for k in known if k.id == target)
                known.remove(old)
                made = [replace(old, text=row.said.content, vector=vectors[row.said.content])]
            else:
                of[row.said.id] = made[0].id
            known += made


def _memories(row: Row, vectors: Vectors) -> list[tuple[str, Known]]:
    return [
        (
            row.conv,
            Known(
                _identity(row, number),
                row.said.content,
                label.memory_type,
                label.scope,
                row.said.project_id if label.scope is Reach.PROJECT else None,
                vectors[row.said.content],
            ),
        )
        for number, label in enumerate(row.labels)
    ]


def _identity(row: Row, number: int) -> MemoryId:
    return MemoryId(UUID(bytes=(f"{row.said.id}/{number}".encode() + bytes(16))[:16]))
