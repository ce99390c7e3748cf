"""A document: what it is called, what it claims, and its sections with their lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from posixpath import basename, splitext

from whoknows.documents.claims import Claim, Claims, claims_of
from whoknows.documents.front_matter import fields_of, listed
from whoknows.documents.lines import Kind, Line, lines_of
from whoknows.documents.references import number_of_file, number_of_title
from whoknows.documents.status import Status

DEPTH = 2
"""Headings down to this level begin a section; deeper ones stay in the section they belong to."""
_TITLE = 300


@dataclass(frozen=True, slots=True)
class Section:
    """``heading`` is empty for what stands before the first one. ``lines`` are those below the heading."""

    heading: str
    lines: tuple[Line, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Document:
    """``number`` is that of a record (``ADR 0007`` → 7). ``sections`` begins with what stands before the first heading."""

    path: str
    title: str
    number: int | None
    tags: tuple[str, ...]
    claims: Claims
    sections: tuple[Section, ...]
    text: str

    @property
    def status(self) -> Status | None:
        return self.claims.status

    @property
    def dated(self) -> date | None:
        return self.claims.dated

    @property
    def labels(self) -> tuple[str, ...]:
        """Its tags, and before them its status."""
        status = () if self.status is None else (f"status:{self.status.name}",)
        return tuple(dict.fromkeys((*status, *self.tags)))

    @property
    def made(self) -> tuple[Claim, ...]:
        return self.claims.made


def document_of(text: str, path: str) -> Document:
    """``text`` taken apart. Never raises: what follows no form is a document of one section."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = lines_of(text)
    fields = fields_of(lines)
    body = [line for line in lines if line.kind is not Kind.FRONT]
    named, body = _titled(body)
    title = " ".join((fields.get("title") or named or splitext(basename(path))[0]).split())[:_TITLE]
    numbered = number_of_title(title)
    return Document(
        path=path,
        title=title,
        number=number_of_file(path) if numbered is None else numbered,
        tags=listed(fields.get("tags", "")),
        claims=claims_of(body, fields),
        sections=tuple(_sections(body)),
        text=text,
    )


def _titled(body: list[Line]) -> tuple[str, list[Line]]:
    """The title, and the lines after it: a heading of the first level, or a line by itself before anything that has a form."""
    start = next((n for n, line in enumerate(body) if not line.is_blank and line.kind is not Kind.COMMENT), None)
    if start is None:
        return "", body
    first, rest = body[start], body[start + 1 :]
    if first.kind is Kind.HEADING:
        return (first.heading, rest) if first.level == 1 else ("", body)
    alone = bool(rest) and rest[0].is_blank and number_of_title(first.text) is not None
    if first.kind is Kind.TEXT and alone and len(first.text) <= _TITLE:
        return first.text.strip(), rest
    return "", body


def _sections(body: Sequence[Line]) -> list[Section]:
    found: list[Section] = []
    heading, first, lines = "", body[0].number if body else 1, list[Line]()
    for line in body:
        if line.kind is Kind.HEADING and line.level <= DEPTH:
            found.append(_section(heading, first, lines))
            heading, first, lines = line.heading, line.number, []
        else:
            lines.append(line)
    found.append(_section(heading, first, lines))
    return found


def _section(heading: str, first: int, lines: list[Line]) -> Section:
    last = next((line.number for line in reversed(lines) if not line.is_blank), first)
    return Section(heading, tuple(lines), first, last)
