"""A question paper over a folder of records, and the grading of what came back: the rules of the paper, in evidence mode."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

FIRST = 5
"""Places that count."""
LEAST_QUOTE = 12
"""Characters of a quote, as the paper has it."""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    kind: str
    text: str
    files: frozenset[str]
    """Base names of the files that answer it."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One memory that came back: the base names of the files that it cites, and the quotes, a file for each where there are
    several."""

    files: tuple[str, ...]
    quotes: tuple[str, ...]

    @property
    def cited(self) -> list[tuple[str, str]]:
        """(file, quote)."""
        files = self.files if len(self.files) == len(self.quotes) else self.files[:1] * len(self.quotes)
        return list(zip(files, self.quotes, strict=True))


@dataclass(frozen=True, slots=True)
class Grade:
    """``place`` of the first named source, from 1, or None; ``overtaken``: a superseded record stands before it."""

    question: Question
    place: int | None
    overtaken: bool
    given: int
    quotes: int
    verified: int

    @property
    def good(self) -> bool:
        return self.place is not None and self.place <= FIRST and not self.overtaken


def questions(paper: Path) -> list[Question]:
    raw: dict[str, Any] = yaml.safe_load(paper.read_text("utf-8"))
    return [
        Question(i["id"], i["kind"], i["question"], frozenset(Path(s["file"]).name for s in i["sources"])) for i in raw["items"]
    ]


def grade(question: Question, answers: Sequence[Answer], superseded: frozenset[str], records: Path) -> Grade:
    place = next((n for n, a in enumerate(answers[:FIRST], start=1) if question.files & set(a.files)), None)
    before = answers[: FIRST if place is None else place - 1]
    quotes = [c for a in answers[:FIRST] for c in a.cited]
    verified = sum(1 for file, quote in quotes if _stands(quote, records, file))
    overtaken = any(len(a.files) == 1 and a.files[0] in superseded for a in before)
    return Grade(question, place, overtaken, len(answers[:FIRST]), len(quotes), verified)


def table(name: str, grades: Sequence[Grade]) -> str:
    """Figures by kind, and what was missed."""
    lines = [f"{name}"]
    for kind in dict.fromkeys(g.question.kind for g in grades):
        of = [g for g in grades if g.question.kind == kind]
        if kind == "should_refuse":
            lines.append(f"  {kind:20} empty {sum(1 for g in of if not g.given)}/{len(of)}")
            continue
        good, first = sum(1 for g in of if g.good), sum(1 for g in of if g.place == 1)
        missed = ", ".join(f"{g.question.id}{' (overtaken)' if g.overtaken else ''}" for g in of if not g.good)
        lines.append(f"  {kind:20} {good}/{len(of)} among the first {FIRST}, {first} first; missed: {missed or 'none'}")
    quotes, verified = sum(g.quotes for g in grades), sum(g.verified for g in grades)
    lines.append(f"  citations that are in their file: {verified} of {quotes}")
    return "\n".join(lines)


def _stands(quote: str, records: Path, file: str) -> bool:
    found = next(iter(records.rglob(file)), None)
    return found is not None and len(quote) >= LEAST_QUOTE and _folded(quote) in _folded(found.read_text("utf-8"))


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
