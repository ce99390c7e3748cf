"""A document into pieces that each say one thing: its head, and a memory for each section, or part of a long one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from whoknows.documents.document import Document
from whoknows.documents.lines import SENTENCE_END, Kind, Line, joined, weight
from whoknows.documents.status import ACCEPTED

FORM = 1
"""Raised when documents are taken apart in another way: what was indexed in an older form is indexed anew."""


class By(StrEnum):
    AUTO = "auto"
    """a short file whole, a long one by section"""
    FILE = "file"
    SECTION = "section"


@dataclass(frozen=True, slots=True)
class Cut:
    """``long``: characters from which a file is taken apart by its headings. ``most``: a section is cut at its own headings and
    paragraphs before it is longer, in characters of alphabetic text (a Han character counts for two)."""

    long: int = 2000
    most: int = 2400


@dataclass(frozen=True, slots=True)
class Piece:
    """What becomes one memory. ``anchor`` is empty for the head. ``quote`` is where it begins, word for word."""

    anchor: str
    title: str
    text: str
    first: int
    last: int
    quote: str | None


MOST_BYTES = 24 * 1024
"""No piece is longer, in bytes of UTF-8."""
_TITLE = 400
_ANCHOR = 120
_QUOTE = 300
_LEAST_QUOTE = 12


def pieces_of(document: Document, by: By = By.AUTO, cut: Cut = Cut()) -> list[Piece]:
    """The head first. Nothing for a document that says nothing."""
    whole = _clean([line for s in document.sections for line in _with_heading(document, s.heading, s.first, s.lines)])
    if not whole:
        return []
    name = _named(document)
    if by is By.FILE or (by is By.AUTO and weight(joined(whole)) <= cut.long):
        return list(_numbered("", name, [part for part in _parts(whole, MOST_BYTES) if part]))
    anchors: dict[str, int] = {}
    found: list[Piece] = []
    for section in document.sections:
        lines = _clean(section.lines)
        if not section.heading:
            found += _head(document, name, lines, cut)
            continue
        if not lines:
            continue
        base = _anchor(section.heading)
        anchors[base] = anchors.get(base, 0) + 1
        anchor = base if anchors[base] == 1 else f"{base}-{anchors[base]}"
        found += _numbered(anchor, f"{name} › {section.heading}"[:_TITLE], list(_parts(lines, cut.most)), section.first)
    return found


def _head(document: Document, name: str, lines: list[Line], cut: Cut) -> list[Piece]:
    """What stands before the first section; where that is nothing but fields, what the first section says first too."""
    says = [line for line in lines if line.number not in document.claims.metadata and not line.is_blank]
    parts = list(_parts(lines, cut.most)) if lines else []
    first = next((s for s in document.sections if s.heading and _clean(s.lines)), None)
    if says or first is None:
        return list(_numbered("", name, parts)) if parts else []
    opening = _paragraph(_clean(first.lines))
    text = "\n\n".join(t for t in (joined(lines), joined(opening)) if t)
    start, last = (lines[0].number, lines[-1].number) if lines else (opening[0].number, opening[-1].number)
    return [Piece("", name, text, start, last, _quote(opening) or _quote(lines))]


def _numbered(anchor: str, title: str, parts: Sequence[list[Line]], first: int | None = None) -> Iterator[Piece]:
    for n, part in enumerate(parts, start=1):
        start = first if first is not None and n == 1 else part[0].number
        place = anchor if n == 1 else f"{anchor}~{n}"
        yield Piece(place, title if n == 1 else f"{title} ({n})", joined(part), start, part[-1].number, _quote(part))


def _named(document: Document) -> str:
    """The title, and the status where it is not simply in force."""
    status = document.status
    return document.title if status is None or status.name == ACCEPTED else f"{document.title} [{status.name}]"


def _with_heading(document: Document, heading: str, first: int, lines: Sequence[Line]) -> list[Line]:
    if not heading:
        return list(lines)
    raw = document.text.split("\n")[first - 1]
    return [Line(first, raw, Kind.HEADING, 2, heading), *lines]


def _clean(lines: Sequence[Line]) -> list[Line]:
    """Without comments, and without blank lines at the ends."""
    kept = [line for line in lines if line.kind is not Kind.COMMENT]
    while kept and kept[0].is_blank:
        kept.pop(0)
    while kept and kept[-1].is_blank:
        kept.pop()
    return kept


def _parts(lines: list[Line], most: int) -> Iterator[list[Line]]:
    """Cut at headings, then between paragraphs, so that no part is heavier than ``most``; a paragraph that is stays whole, up
    to the limit of bytes."""
    part: list[Line] = []
    held = 0
    for block in _blocks(lines):
        more = weight(joined(block))
        begins = block[0].kind is Kind.HEADING and held > most // 3
        if part and (held + more > most or begins):
            yield from _fitting(_clean(part))
            part, held = [], 0
        part += block
        held += more
    if part:
        yield from _fitting(_clean(part))


def _blocks(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Paragraphs, a heading with the one below it; a block of code in one piece."""
    block: list[Line] = []
    for line in lines:
        says = any(b.kind is not Kind.HEADING and not b.is_blank for b in block)
        ends = says and block[-1].is_blank and not line.is_blank and line.kind is not Kind.CODE
        if ends or (says and line.kind is Kind.HEADING):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def _fitting(part: list[Line]) -> Iterator[list[Line]]:
    """Within the limit of bytes: cut between lines, and a line that is too long by itself into several."""
    held: list[Line] = []
    size = 0
    for line in part:
        for text in _slices(line.text):
            more = len(text.encode("utf-8", "surrogatepass")) + 1
            if held and size + more > MOST_BYTES:
                yield held
                held, size = [], 0
            held.append(line if text == line.text else Line(line.number, text, line.kind))
            size += more
    if any(not line.is_blank for line in held):
        yield held


def _slices(text: str) -> Iterator[str]:
    step = MOST_BYTES // 4
    if len(text) <= step:
        yield text
        return
    for at in range(0, len(text), step):
        yield text[at : at + step]


def _paragraph(lines: Sequence[Line]) -> list[Line]:
    end = next((n for n, line in enumerate(lines) if line.is_blank), len(lines))
    return list(lines[:end])


def _quote(lines: Sequence[Line]) -> str | None:
    """The first sentences of the first paragraph that says something, word for word."""
    prose = [n for n, line in enumerate(lines) if line.kind is Kind.TEXT and len(line.text.strip()) >= _LEAST_QUOTE]
    start = prose[0] if prose else next((n for n, line in enumerate(lines) if not line.is_blank), None)
    if start is None:
        return None
    text = joined(_paragraph(lines[start:])).strip()
    if len(text) <= _QUOTE:
        return text or None
    ends = [m.end() for m in SENTENCE_END.finditer(text[:_QUOTE]) if m.end() >= _LEAST_QUOTE]
    cut = ends[-1] if ends else max(text.rfind(" ", 0, _QUOTE), text.rfind("\n", 0, _QUOTE), _QUOTE // 2)
    return text[:cut].strip() or None


def _anchor(heading: str) -> str:
    words = re.sub(r"[^\w\s-]", "", heading.casefold()).strip()
    return re.sub(r"[\s-]+", "-", words)[:_ANCHOR] or "section"
