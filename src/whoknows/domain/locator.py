"""Locators: the place that a piece of evidence names within its source, taken apart."""

import re
from dataclasses import dataclass
from uuid import UUID

from whoknows.domain.evidence import SourceKind

_LINES = re.compile(r"#L(\d{1,9})(?:-L?(\d{1,9}))?$")


@dataclass(frozen=True, slots=True)
class Place:
    """A file and, where they are named, its first and last line, counted from 1. ``source`` is the name before the first colon
    of a Git locator, and empty for a file."""

    source: str
    path: str
    lines: tuple[int, int] | None = None


def place_of(kind: SourceKind, locator: str) -> Place:
    """The file that evidence from a repository or a folder names."""
    return git_place(locator) if kind is SourceKind.GIT else file_place(locator)


def git_place(locator: str) -> Place:
    """``name:path#L10-L14``; without a path it names no file."""
    name, _, rest = locator.partition(":")
    path, lines = _lines(rest)
    return Place(name, path, lines)


def file_place(locator: str) -> Place:
    """``path#L10``: absolute, or beginning with the name of a registered folder."""
    path, lines = _lines(locator)
    return Place("", path, lines)


def span_of(lines: tuple[int, int], text: str) -> tuple[int, int]:
    """Where lines stand in ``text``: (begin, end) in characters, without the break at the end. Empty where there are none."""
    begin = 0
    for _ in range(lines[0] - 1):
        begin = text.find("\n", begin) + 1
        if begin == 0:
            return len(text), len(text)
    end = begin - 1
    for _ in range(max(1, lines[1] - lines[0] + 1)):
        end = text.find("\n", end + 1)
        if end < 0:
            return begin, len(text)
    return begin, end


def lines_of(start: int, end: int, text: str) -> tuple[int, int]:
    """The first and the last line, counted from 1, of what stands at ``text[start:end]``."""
    first = text.count("\n", 0, start) + 1
    return first, first + text.count("\n", start, max(start, end - 1))


def id_of(locator: str) -> UUID | None:
    """The id that a locator is, in its canonical form."""
    try:
        found = UUID(locator)
    except ValueError:
        return None
    return found if str(found) == locator.lower() else None


def _lines(text: str) -> tuple[str, tuple[int, int] | None]:
    found = _LINES.search(text)
    if found is None:
        return text, None
    first = int(found[1])
    last = int(found[2] or first)
    if first < 1 or last < first:
        return text[: found.start()], (1, 0) if first < 1 else (first, first)
    return text[: found.start()], (first, last)
