"""The chronicle of a set of records: which was decided when, in order, and what became of each.

What one record says, its own sections say; in which order they came, none of them does.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from whoknows.documents.document import Document
from whoknows.documents.lineage import Lineage

LEAST = 3
"""Fewer dated records need no list."""
MOST = 40
"""Records of one part."""
TAG = "chronicle"
TITLE = "Decision records by date, from the earliest to the latest · 决策记录，按日期先后排列"


@dataclass(frozen=True, slots=True)
class Entry:
    """One record, by the line that dates it: ``quote`` stands in its file at ``line``, word for word, from ``start`` on."""

    path: str
    said: str
    quote: str
    line: int
    start: int


@dataclass(frozen=True, slots=True)
class Part:
    """Up to MOST records. ``text`` is a line for each."""

    title: str
    text: str
    entries: tuple[Entry, ...]


def chronicle_of(documents: Sequence[Document], lineage: Lineage) -> list[Part]:
    """Of the documents that have a status and a date, oldest first. None where there are too few."""
    successors = {o.old: o.new for o in lineage.overturned}
    by_path = {d.path: d for d in documents}
    dated = [d for d in documents if d.dated is not None and d.status is not None]
    entries = [e for d in sorted(dated, key=_age) if (e := _entry(d, successors, by_path)) is not None]
    if len(entries) < LEAST:
        return []
    parts: list[Part] = []
    for n, start in enumerate(range(0, len(entries), MOST), start=1):
        some = tuple(entries[start : start + MOST])
        title = TITLE if n == 1 else f"{TITLE} ({n})"
        parts.append(Part(title, "\n".join(e.said for e in some), some))
    return parts


def _age(document: Document) -> tuple[str, int, str]:
    return str(document.dated), document.number or 0, document.path


def _entry(document: Document, successors: Mapping[str, str | None], by_path: Mapping[str, Document]) -> Entry | None:
    place = next(_dating(document), None)
    if place is None or document.status is None:
        return None
    became = document.status.name
    if document.path in successors:
        by = by_path.get(successors[document.path] or "")
        after = "" if by is None else f" by {by.title.partition(':')[0]} on {by.dated}"
        became = f"{became}, superseded{after}"
    line, quote, start = place
    return Entry(document.path, f"{document.dated} · {document.title} ({became})", quote, line, start)


def _dating(document: Document) -> Iterator[tuple[int, str, int]]:
    """The line that holds the date, in one of the ways it is written, and where it begins."""
    day = document.dated
    if day is None:
        return
    written = (str(day), f"{day:%Y/%m/%d}", f"{day:%Y.%m.%d}", f"{day.year}年{day.month}月{day.day}日")
    at = 0
    for n, line in enumerate(document.text.split("\n"), start=1):
        if any(w in line for w in written):
            yield n, line.strip(), at + len(line) - len(line.lstrip())
        at += len(line) + 1
