"""Evidence: where a memory comes from, in the words of its source."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum
from uuid import UUID

from whoknows.domain.ids import AudienceId


class SourceKind(StrEnum):
    GIT = "git"
    FILE = "file"
    MESSAGE = "message"
    URL = "url"
    MEMORY = "memory"
    MANUAL = "manual"


class EvidenceLevel(IntEnum):
    """How well a statement is evidenced; more is better."""

    NONE = 0
    SOURCED = 1
    """a source is named"""
    QUOTED = 2
    """with a quote"""
    VERIFIED = 3
    """and the quote was found there"""


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
    audience: AudienceId | None = None
    """Who may read the source. None: whoever may read the memory."""
    source: UUID | None = None
    """The memory that is quoted, or the registered source that the file is in."""
    moved_at: datetime | None = None
    """Since when the newest state of the source does not say it any more; that state is ``moved_to``."""
    moved_to: str | None = None
    gone_at: datetime | None = None
    """Since when the source is not there any more."""

    @property
    def level(self) -> EvidenceLevel:
        if self.verified:
            return EvidenceLevel.VERIFIED
        return EvidenceLevel.SOURCED if self.quote is None else EvidenceLevel.QUOTED


def level_of(evidence: Iterable[Evidence]) -> EvidenceLevel:
    """That of the best piece."""
    return max((e.level for e in evidence), default=EvidenceLevel.NONE)


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
