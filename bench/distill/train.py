"""Train the classifier on labelled chats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from distill.fit import balanced, wide
from distill.rows import Label, Row
from distill.vectors import EMBEDDER, Vectors
from whoknows.distill.exclude import excluded
from whoknows.distill.features import bare, with_vector
from whoknows.distill.model import OUTPUTS, REASONS, TYPES, Layer, Model
from whoknows.distill.signals import Numbers
from whoknows.distill.units import units
from whoknows.domain.distilled import Reach, Speaking

RIDGE = 3.0
RIDGE_TYPES = 3.0
BALANCE, BALANCE_SCOPE = 0.7, 0.4
"""Rare types, and what is global, count for more, but not as much as the frequent ones."""


@dataclass(frozen=True, slots=True)
class Example:
    """A unit of a message as the classifier sees it. ``keep`` is None where a message does not say it of this unit."""

    text: str
    assistant: bool
    keep: bool | None
    label: Label | None
    reason: str | None


def examples(rows: Iterable[Row], vectors: Vectors) -> list[Example]:
    return [e for row in rows for e in _examples(row, vectors)]


def texts(rows: Iterable[Row]) -> Iterator[str]:
    """What has to be embedded to train on ``rows``."""
    for row in rows:
        yield from (row.said.content[u.start : u.end] for u in units(row.said.content, excluded(row.said.content)))
        yield from (label.gist for label in row.labels)


def mean_of(found: Sequence[Example], vectors: Vectors) -> Numbers:
    return np.stack([np.asarray(vectors[e.text], np.float32) for e in found]).mean(0)


def train(found: Sequence[Example], vectors: Vectors, mean: Numbers, relating: Numbers, *, lean: bool = False) -> Model:
    """``relating``: the weights of updates.py. ``lean``: only what the figures with vectors need; the reasons mean nothing."""
    plain = np.stack([bare(e.text, assistant=e.assistant) for e in found])
    meant = np.stack([np.asarray(vectors[e.text], np.float32) for e in found])
    spread = float(meant.std(0).mean())
    whole = np.stack([with_vector(row, v, mean, spread) for row, v in zip(plain, meant, strict=True)])
    bare_layer = (
        Layer(np.zeros((plain.shape[1], OUTPUTS), np.float32), np.zeros(OUTPUTS, np.float32)) if lean else _layer(plain, found)
    )
    return Model(EMBEDDER, mean, spread, _layer(whole, found, reasons=not lean), bare_layer, relating)


def _layer(x: Numbers, found: Sequence[Example], *, reasons: bool = True) -> Layer:
    weights, bias = np.zeros((x.shape[1], OUTPUTS), np.float32), np.zeros(OUTPUTS, np.float32)
    exact = x.astype(float)

    def fit(column: int, chosen: Sequence[int], wanted: Sequence[bool], ridge: float, balance: float) -> None:
        y = np.array(wanted, float)
        weights[:, column], bias[column] = wide(exact[chosen], y, balanced(y, balance), ridge)

    sure = [i for i, e in enumerate(found) if e.keep is not None]
    fit(0, sure, [bool(found[i].keep) for i in sure], RIDGE, 0.0)
    kept = [i for i, e in enumerate(found) if e.label is not None]
    labels = [label for e in found if (label := e.label) is not None]
    fit(1, kept, [label.scope is Reach.GLOBAL for label in labels], RIDGE_TYPES, BALANCE_SCOPE)
    for number, kind in enumerate(TYPES):
        fit(2 + number, kept, [label.memory_type is kind for label in labels], RIDGE_TYPES, BALANCE)
    skipped = [i for i, e in enumerate(found) if e.reason in REASONS]
    for number, reason in enumerate(REASONS if reasons else ()):
        fit(2 + len(TYPES) + number, skipped, [found[i].reason == reason for i in skipped], RIDGE_TYPES, BALANCE)
    return Layer(weights, bias)


def _examples(row: Row, vectors: Vectors) -> Iterator[Example]:
    text, assistant = row.said.content, row.said.role is Speaking.ASSISTANT
    parts = [text[u.start : u.end] for u in units(text, excluded(text))]
    if row.same and not assistant:  # a fact in itself: what it means to the memories is for relate() to say
        return
    if not row.labels:
        yield from (Example(p, assistant, False, None, row.reason) for p in parts)
        return
    if len(parts) == 1:
        yield Example(parts[0], assistant, True, row.labels[0] if len(row.labels) == 1 else None, None)
        return
    chosen = _matched(parts, row.labels, vectors)
    for number, part in enumerate(parts):
        label = chosen.get(number)
        yield Example(part, assistant, True if label else None, label, None)


def _matched(parts: Sequence[str], labels: Sequence[Label], vectors: Vectors) -> dict[int, Label]:
    """For each label the part that comes nearest to its gist; each part once."""
    near = np.array([[float(np.dot(vectors[p], vectors[label.gist])) for label in labels] for p in parts])
    found: dict[int, Label] = {}
    for _ in range(min(near.shape)):
        part, label = np.unravel_index(int(near.argmax()), near.shape)
        found[int(part)] = labels[int(label)]
        near[part, :] = near[:, label] = -1
    return found
