"""Evidence: where a memory comes from, in the words of its source."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class SourceKind(StrEnum):
    GIT = "git"
    FILE = "file"
    MESSAGE = "message"
    URL = "url"
    MEMORY = "memory"
    MANUAL = "manual"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A quote and its place. ``verified`` is true only where the quote was found in the source, character for character."""

    source_kind: SourceKind
    locator: str
    revision: str | None = None
    quote: str | None = None
    start: int | None = None
    end: int | None = None
    quote_hash: str | None = None
    verified: bool = False
    verified_at: datetime | None = None


_KINDS = frozenset(str(k) for k in SourceKind)


def parse_source(text: str) -> tuple[SourceKind, str, str | None]:
    """``git:name@rev:path`` → (git, ``name:path``, rev); ``file:p``, ``message:id``, ``url:u``, ``memory:id``; else manual."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in _KINDS or not rest:
        return SourceKind.MANUAL, text, None
    if kind == SourceKind.GIT:
        name, at, tail = rest.partition("@")
        revision, second, path = tail.partition(":")
        if at and second and revision:
            return SourceKind.GIT, f"{name}:{path}", revision
    return SourceKind(kind), rest, None
