"""Reconciliation: every line of every source file with what became of it, and whether the sum is right."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from whoknows.migration.places import Unplaced
from whoknows.migration.plan import Plan
from whoknows.migration.sending import Became
from whoknows.migration.statements import Fate, Parsed

_LEFT_OUT = ("left_out", "committed")
"""Not taken, and not missing: somebody said so, or others wrote it."""
_WORST = {fate: n for n, fate in enumerate(Fate)}


@dataclass(frozen=True, slots=True)
class Span:
    """Lines that follow one another and have one fate. ``memories``: what they became, or were joined to."""

    first: int
    last: int
    fate: Fate
    code: str
    why: str
    memories: tuple[str, ...] = ()

    @property
    def lines(self) -> int:
        return self.last - self.first + 1


@dataclass(frozen=True, slots=True)
class Account:
    """A file. ``unreadable``: why no line of it could be read, where it has none that could be counted either."""

    path: str
    lines: int
    spans: Sequence[Span]
    unreadable: str | None = None
    left_out: bool = False


@dataclass(frozen=True, slots=True)
class Reconciliation:
    accounts: Sequence[Account]

    @property
    def counts(self) -> dict[str, int]:
        """Lines by fate; ``left_out`` is a part of held, ``unreadable_files`` those that cannot even be counted."""
        by_fate: Counter[Fate] = Counter()
        for account in self.accounts:
            for span in account.spans:
                by_fate[span.fate] += span.lines
        return {
            "files": len(self.accounts),
            "lines": sum(a.lines for a in self.accounts),
            **{str(f): by_fate[f] for f in Fate},
            "left_out": sum(s.lines for a in self.accounts for s in a.spans if s.code in _LEFT_OUT),
            "unreadable_files": sum(a.unreadable is not None and not a.left_out for a in self.accounts),
        }

    @property
    def adds_up(self) -> bool:
        """Each line has exactly one fate, in each file and in all."""
        return all(_is_whole(a) for a in self.accounts) and self.counts["lines"] == sum(self.counts[str(f)] for f in Fate)

    @property
    def is_clean(self) -> bool:
        """Whether nothing of it would be missed: all of it is in memory, or was left out on purpose."""
        counts = self.counts
        waiting = counts["held"] - counts["left_out"]
        return self.adds_up and not (waiting or counts["refused"] or counts["unreadable"] or counts["unreadable_files"])


def reconciled(plan: Plan, became: Sequence[Became]) -> Reconciliation:
    """``became`` in the order of the items of ``plan``."""
    by_file: dict[str, list[tuple[tuple[int, ...], Became]]] = {}
    for item, fate in zip(plan.items, became, strict=True):
        by_file.setdefault(item.statement.path, []).append((item.statement.lines, fate))
    whole = {path: _worst([b for _, b in said]) for path, said in by_file.items()}
    return Reconciliation([_account(f, by_file.get(f.path, ()), whole, plan.left_out.get(f.path)) for f in plan.files])


def _account(
    file: Parsed, said: Sequence[tuple[tuple[int, ...], Became]], whole: Mapping[str, Became], left_out: Unplaced | None
) -> Account:
    lines: dict[int, list[Became]] = {n: [Became(Fate.STRUCTURAL, why)] for n, why in file.structure.items()}
    if file.unreadable is not None:
        told = None if left_out is None else Became(Fate.HELD, left_out.code, left_out.why)
        told = told or Became(Fate.UNREADABLE, "unreadable", file.unreadable)
        lines = {n: [told] for n in range(1, file.total + 1)}
    for numbers, became in said:
        for n in numbers:
            lines.setdefault(n, []).append(became)
    for pointer in file.pointers:
        topic = whole.get(pointer.target)
        is_in = topic is not None and topic.fate in (Fate.STORED, Fate.MERGED)
        told = Became(Fate.STRUCTURAL, "index of a topic that went in") if topic is None or is_in else _with_its(topic)
        lines.setdefault(pointer.line, []).append(told)
    fates = [(n, _worst(lines[n])) for n in sorted(lines)]
    return Account(file.path, file.total, list(_spans(fates)), file.unreadable, left_out is not None)


def _with_its(topic: Became) -> Became:
    return replace(topic, why=f"with the topic that it points to: {topic.why}", memory=None)


def _worst(those: Sequence[Became]) -> Became:
    return max(those, key=lambda b: _WORST[b.fate])


def _spans(fates: Sequence[tuple[int, Became]]) -> Iterator[Span]:
    def alike(numbered: tuple[int, tuple[int, Became]]) -> tuple[int, Fate, str, str, str | None]:
        place, (line, b) = numbered
        return line - place, b.fate, b.code, b.why, b.memory

    for _, group in groupby(enumerate(fates), key=alike):
        members = [line for _, line in group]
        b = members[0][1]
        yield Span(members[0][0], members[-1][0], b.fate, b.code, b.why, () if b.memory is None else (b.memory,))


def _is_whole(account: Account) -> bool:
    told = [n for s in account.spans for n in range(s.first, s.last + 1)]
    return told == list(range(1, account.lines + 1))
