"""Scores of the distiller on labelled chats: each conversation an account of its own that begins with an empty memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from distill.rows import Label, Row, by_conversation
from whoknows.distill.distiller import Distiller, Vectors
from whoknows.domain.distilled import FactFound, Known, New, Reach, Same, Updates
from whoknows.domain.ids import MemoryId, new_memory_id


@dataclass(slots=True)
class Stored:
    """A memory that the distiller wrote. ``first``: the message that created it; ``said``: the one that wrote its text."""

    known: Known
    first: str
    said: str


@dataclass(slots=True)
class Outcome:
    """What became of one message."""

    row: Row
    facts: tuple[FactFound, ...] = ()
    made: list[Stored] = field(default_factory=list[Stored])
    changed: list[Stored] = field(default_factory=list[Stored])
    same: list[Stored] = field(default_factory=list[Stored])
    skipped: str | None = None

    @property
    def kept(self) -> bool:
        return bool(self.made or self.changed)


@dataclass(slots=True)
class Score:
    """Counts over messages; the figures are properties."""

    true: int = 0
    false: int = 0
    missed: int = 0
    types: list[tuple[str, str, bool]] = field(default_factory=list[tuple[str, str, bool]])
    scopes: list[bool] = field(default_factory=list[bool])
    updates: list[bool] = field(default_factory=list[bool])
    duplicates: int = 0
    wrongly_changed: int = 0
    leaked: int = 0
    again: int = 0
    """Written when all is judged once more by one who has forgotten having heard it (the flow has not: flow.py)."""
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    faults: list[str] = field(default_factory=list[str])

    @property
    def precision(self) -> float:
        return self.true / max(self.true + self.false, 1)

    @property
    def recall(self) -> float:
        return self.true / max(self.true + self.missed, 1)

    @property
    def f1(self) -> float:
        return 2 * self.true / max(2 * self.true + self.false + self.missed, 1)

    @property
    def type_accuracy(self) -> float:
        return _mean(ok for *_, ok in self.types)

    @property
    def scope_accuracy(self) -> float:
        return _mean(self.scopes)

    @property
    def updates_found(self) -> float:
        return _mean(self.updates)


def score(rows: Sequence[Row], distiller: Callable[[str], Distiller], vectors: Vectors) -> Score:
    """``distiller`` of a conversation's name: so that it can be one that never saw that conversation."""
    total = Score()
    for name, conv in by_conversation(rows).items():
        _count(total, conv, distiller(name), vectors)
    return total


def run(conv: Sequence[Row], distiller: Distiller, vectors: Vectors, stored: list[Stored]) -> list[Outcome]:
    """The messages of an account, in order, on top of what it has ``stored``, which is changed."""
    return [_one(row, distiller, vectors, stored) for row in conv]


def count(total: Score, outcome: Outcome) -> None:
    """What became of one message, beside its labels."""
    _keeping(total, outcome)
    _changing(total, outcome)
    if outcome.row.labels and outcome.kept:
        _typing(total, outcome)


def _one(row: Row, distiller: Distiller, vectors: Vectors, stored: list[Stored]) -> Outcome:
    [judgement] = distiller.judge_messages([row.said], vectors)
    outcome = Outcome(row, judgement.facts, skipped=judgement.skipped and str(judgement.skipped))
    for fact in judgement.facts:
        visible = [s for s in stored if s.known.scope is Reach.GLOBAL or s.known.project_id == row.said.project_id]
        known = [replace(s.known, recency=n) for n, s in enumerate(reversed(visible))]
        relation = distiller.relate(fact, row.said, known, vectors)
        match relation:
            case New():
                made = Stored(_known(new_memory_id(), fact, row, vectors), row.said.id, row.said.id)
                stored.append(made)
                outcome.made.append(made)
            case Same(memory):
                outcome.same.append(next(s for s in stored if s.known.id == memory))
            case Updates(memory):
                old = next(s for s in stored if s.known.id == memory)
                stored.remove(old)
                new = _known(memory, distiller.in_place_of(fact, old.known), row, vectors)
                changed = Stored(replace(new, project_id=old.known.project_id), old.first, row.said.id)
                stored.append(changed)
                outcome.changed.append(changed)
    return outcome


def _known(identity: MemoryId, fact: FactFound, row: Row, vectors: Vectors) -> Known:
    project = row.said.project_id if fact.scope is Reach.PROJECT else None
    return Known(identity, fact.text, fact.memory_type, fact.scope, project, vectors.get(fact.text))


def _count(total: Score, conv: Sequence[Row], distiller: Distiller, vectors: Vectors) -> None:
    stored: list[Stored] = []
    outcomes = run(conv, distiller, vectors, stored)
    for outcome in outcomes:
        count(total, outcome)
    texts = [s.known.text for s in stored]
    total.leaked += sum(bad in text for o in outcomes for bad in o.row.must_not for text in texts)
    before = len(stored)
    second = run(conv, distiller, vectors, stored)
    total.again += len(stored) - before
    total.faults += [f"JUDGED AGAIN, ADDS {o.row.said.id} {o.row.said.content[:70]!r}" for o in second if o.made]


def _keeping(total: Score, outcome: Outcome) -> None:
    row = outcome.row
    match (row.keep, outcome.kept):
        case (True, True):
            total.true += 1
        case (True, False):
            total.missed += 1
            total.faults.append(f"MISSED {row.said.id} ({outcome.skipped or 'taken for a repeat'}) {row.said.content[:90]!r}")
        case (False, True):
            total.false += 1
            total.faults.append(f"KEPT {row.said.id} ({row.reason}) {row.said.content[:90]!r}")
        case _:
            total.reasons[row.reason or "", outcome.skipped or "repeat"] += 1


def _changing(total: Score, outcome: Outcome) -> None:
    row = outcome.row
    if row.same and outcome.kept:
        total.duplicates += len(outcome.made)
    if row.updates and not row.same:
        right = any(s.first == row.updates for s in outcome.changed)
        total.updates.append(right)
        total.duplicates += bool(outcome.made) and not right
        if not right:
            done = "new" if outcome.made else "changed another" if outcome.changed else "repeat" if outcome.same else "skipped"
            total.faults.append(f"UPDATE {row.said.id} of {row.updates}: {done} {row.said.content[:90]!r}")
    elif outcome.changed:
        total.wrongly_changed += len(outcome.changed)
        total.faults.append(f"CHANGED {row.said.id} takes the place of {outcome.changed[0].first} {row.said.content[:90]!r}")


def _typing(total: Score, outcome: Outcome) -> None:
    """Several labels are matched to the facts that were found, in order, the best way."""
    got = [(s.known.memory_type, s.known.scope) for s in (*outcome.changed, *outcome.made)]
    for label in outcome.row.labels:
        if not got:
            total.types.append((label.memory_type, "none", False))
            total.scopes.append(False)
            continue
        best = max(range(len(got)), key=lambda i: _fits(label, got[i]))
        kind, reach = got.pop(best)
        total.types.append((label.memory_type, kind, kind in label.right))
        total.scopes.append(reach is label.scope)
        if kind not in label.right or reach is not label.scope:
            total.faults.append(
                f"TYPE {outcome.row.said.id} {label.memory_type}/{label.scope} got {kind}/{reach}"
                f" {outcome.row.said.content[:80]!r}"
            )
    if got:
        total.duplicates += 0 if len(outcome.row.labels) > 1 else len(got)
        total.faults.append(f"SPLIT {outcome.row.said.id} {outcome.row.said.content[:90]!r}")


def _fits(label: Label, got: tuple[object, object]) -> int:
    return 2 * (got[0] in label.right) + (got[1] is label.scope)


def _mean(values: Iterable[bool]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
