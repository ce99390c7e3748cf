"""Labelled chats: the format is described in training/README.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whoknows.domain.distilled import Reach, Said, Speaking
from whoknows.domain.memory import Category

OURS = Path(__file__).parent / "training"


@dataclass(frozen=True, slots=True)
class Label:
    """What is to be kept. ``also`` are further types that are right."""

    gist: str
    memory_type: Category
    scope: Reach
    also: frozenset[Category]

    @property
    def right(self) -> frozenset[Category]:
        return self.also | {self.memory_type}


@dataclass(frozen=True, slots=True)
class Row:
    """A message and its labels. ``updates``: the message that first created the memory it changes or, if ``same``, repeats."""

    conv: str
    said: Said
    labels: tuple[Label, ...]
    updates: str | None
    same: bool
    reason: str | None
    must_not: tuple[str, ...]

    @property
    def keep(self) -> bool:
        return bool(self.labels)


def load(paths: Iterable[Path]) -> list[Row]:
    """The rows of files, or of all ``*.jsonl`` of folders, in order."""
    return [row for path in paths for file in _files(path) for row in _rows(file)]


def by_conversation(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.conv, []).append(row)
    return found


def _files(path: Path) -> Sequence[Path]:
    return sorted(path.glob("*.jsonl")) if path.is_dir() else [path]


def _rows(file: Path) -> Iterator[Row]:
    for line in file.read_text("utf-8").splitlines():
        if line.strip():
            yield _row(json.loads(line))


def _row(data: dict[str, Any]) -> Row:
    expect = data["expect"]
    facts = (expect.get("facts") or [expect]) if expect["keep"] else []
    return Row(
        conv=data["conv"],
        said=Said(data["id"], Speaking(data["role"]), data["content"], data["projectId"]),
        labels=tuple(_label(f) for f in facts),
        updates=expect.get("updates"),
        same=bool(expect.get("same")),
        reason=expect.get("class"),
        must_not=tuple(expect.get("mustNot") or ()),
    )


def _label(fact: dict[str, Any]) -> Label:
    also = frozenset(Category(t) for t in fact.get("orType") or ())
    return Label(fact.get("gist") or "", Category(fact["memoryType"]), Reach(fact["scope"]), also)
