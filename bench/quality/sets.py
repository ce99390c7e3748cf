"""Load labelled questions: a set is a JSON file (or .json.gz) `{docs[{id, scope, text, session?}], queries[{id,
scope, text, relevant[]}]}`, its docs in the order of writing, each question asked within its scope only."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Doc:
    """One memory: its scope is who may see it."""

    id: str
    scope: str
    text: str
    session: str | None


@dataclass(frozen=True, slots=True)
class Question:
    """One question, and the ids of the docs that answer it."""

    text: str
    scope: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """Docs and questions under one name."""

    name: str
    docs: tuple[Doc, ...]
    questions: tuple[Question, ...]

    @property
    def scopes(self) -> list[str]:
        """All scopes, sorted."""
        return sorted({doc.scope for doc in self.docs})

    def other_scope(self, scope: str) -> str:
        """A reader who cannot know: the next scope."""
        return self.scopes[(self.scopes.index(scope) + 1) % len(self.scopes)]

    def split(self) -> LabelledSet:
        """A set with one scope as two halves, by parity of the place, so that there is a reader who cannot know."""
        if len(self.scopes) > 1:
            return self
        half = {doc.id: str(i % 2) for i, doc in enumerate(self.docs)}
        return LabelledSet(
            self.name,
            tuple(Doc(d.id, half[d.id], d.text, d.session) for d in self.docs),
            tuple(Question(q.text, half[min(q.relevant)], q.relevant) for q in self.questions if q.relevant),
        )


def load(path: Path) -> LabelledSet:
    """Read one set."""
    raw: dict[str, Any] = json.loads((gzip.open if path.suffix == ".gz" else open)(path, "rb").read())
    return LabelledSet(
        raw.get("name", path.name.split(".")[0]),
        tuple(Doc(d["id"], d["scope"], d["text"], d.get("session")) for d in raw["docs"]),
        tuple(Question(q["text"], q["scope"], frozenset(q["relevant"])) for q in raw["queries"]),
    )


def load_all(places: list[Path]) -> Iterator[LabelledSet]:
    """Read files, and all sets of folders."""
    for place in places:
        for path in sorted(place.glob("*.json*")) if place.is_dir() else [place]:
            yield load(path)


def merged(sets: list[LabelledSet]) -> LabelledSet:
    """One reader who sees the texts of all these sets: a bilingual team."""
    return LabelledSet(
        "+".join(s.name for s in sets),
        tuple(Doc(f"{s.name}/{d.id}", "all", d.text, d.session) for s in sets for d in s.docs),
        tuple(Question(q.text, "all", frozenset(f"{s.name}/{r}" for r in q.relevant)) for s in sets for q in s.questions),
    )
