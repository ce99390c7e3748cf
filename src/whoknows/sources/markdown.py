"""Markdown into pieces that each say one thing: a short file as it stands, a long one by its headings."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


class By(StrEnum):
    AUTO = "auto"
    """a short file whole, a long one by section"""
    FILE = "file"
    SECTION = "section"


@dataclass(frozen=True, slots=True)
class Piece:
    """What becomes one memory: a title (``document › section``), and the text under it."""

    title: str | None
    text: str
    tags: tuple[str, ...]


LONG = 2000
"""Characters from which a file is taken apart by its headings."""
MOST_BYTES = 24 * 1024
"""A piece is cut at paragraphs before it is longer, in bytes of UTF-8."""
_TITLE = 400
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_DEPTH = 2
"""Deeper headings stay in the section they belong to."""


def pieces(markdown: str, by: By = By.AUTO) -> list[Piece]:
    """The pieces of one document, in order. Nothing for a document that says nothing."""
    fields, body = _front_matter(markdown.replace("\r\n", "\n").replace("\r", "\n"))
    name, body = _document_title(body)
    name = fields.get("title") or name
    tags = _tags(fields.get("tags", ""))
    whole = by is By.FILE or (by is By.AUTO and len(body) <= LONG)
    sections = [(None, body)] if whole else list(_sections(body))
    found: list[Piece] = []
    for heading, content in sections:
        title = " › ".join(part for part in (name, heading) if part)[:_TITLE] or None
        parts = list(_cut(content.strip())) if content.strip() else []
        for n, part in enumerate(parts, start=1):
            found.append(Piece(title if n == 1 else f"{title or 'part'} ({n})", part, tags))
    return found


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields between two lines of ``---`` at the top (only flat ones: lists come out as lines), and what follows."""
    if not text.startswith("---\n") or "\n---\n" not in text[3:]:
        return {}, text
    head, _, rest = text[4:].partition("\n---\n")
    fields: dict[str, str] = {}
    name = ""
    for line in head.splitlines():
        key, colon, value = line.partition(":")
        if colon and key and not key[0].isspace() and not key.startswith(("-", "#")):
            name = key.strip().lower()
            fields[name] = value.strip().strip("'\"")
        elif name and line.strip().startswith("- "):
            fields[name] += f"\n{line.strip()[2:]}"
    return fields, rest


def _tags(value: str) -> tuple[str, ...]:
    tags = (t.strip().strip("'\"") for t in re.split(r"[,\n]", value.strip("[]")))
    return tuple(dict.fromkeys(t for t in tags if t))


def _document_title(body: str) -> tuple[str | None, str]:
    first, _, rest = body.lstrip("\n").partition("\n")
    heading = _HEADING.match(first)
    return (heading[2], rest) if heading and len(heading[1]) == 1 else (None, body)


def _sections(body: str) -> Iterator[tuple[str | None, str]]:
    """(heading, text) by headings up to ``_DEPTH``; a ``#`` in a fenced block is no heading."""
    heading: str | None = None
    lines: list[str] = []
    fence: str | None = None
    for line in body.splitlines():
        mark = _FENCE.match(line)
        if mark and (fence is None or line.strip().startswith(fence)):
            fence = mark[1] if fence is None else None
        found = _HEADING.match(line) if fence is None else None
        if found and len(found[1]) <= _DEPTH:
            yield heading, "\n".join(lines)
            heading, lines = found[2], []
        else:
            lines.append(line)
    yield heading, "\n".join(lines)


def _cut(text: str) -> Iterator[str]:
    part = ""
    for paragraph in text.split("\n\n"):
        joined = f"{part}\n\n{paragraph}" if part else paragraph
        if part and len(joined.encode("utf-8", "surrogatepass")) > MOST_BYTES:
            yield part
            part = paragraph
        else:
            part = joined
    yield part
