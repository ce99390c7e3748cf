"""The gateway of evidence: what a memory rests on, piece by piece, and whether its readers may read that."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from whoknows.domain.conversation import MessageId
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.source import SourceLocation
from whoknows.policy.standing import ReadScope


@dataclass(frozen=True, slots=True)
class Citation:
    """A piece of evidence of one memory, by its number in this store."""

    number: int
    memory: MemoryId
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Looked:
    """What was found when a quote was looked for again. ``revision`` is the state in which it was looked for.

    ``span``: where it stands there now; None where it does not. ``gone``: there is no such source any more.
    """

    number: int
    quote_hash: str | None
    revision: str | None
    span: tuple[int, int] | None
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Overheard:
    """A message of the caller's account. ``said`` is None for one that the assistant said: that is no source."""

    said: str | None


@dataclass(frozen=True, slots=True)
class Quotable:
    """A memory as a source. ``current``: active, and nobody's injection."""

    content: str
    version: int
    audience: AudienceId
    current: bool


@dataclass(frozen=True, slots=True)
class DueEvidence:
    """A quote that was not looked for yet in the newest state of its source. ``root`` None: that is registered no more."""

    number: int
    quote: str
    quote_hash: str | None
    locator: str
    source_kind: str
    root: SourceLocation | None
    revision: str | None


class Citations(Protocol):
    """The evidence that the reader may see; each piece is filtered by the audience of its source."""

    async def of(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[Citation]: ...
    async def quotable(self, scope: ReadScope, memory: MemoryId) -> Quotable | None: ...
    async def cite(self, memory: MemoryId, evidence: Sequence[Evidence]) -> None:
        """Add evidence of the actor to a memory that it wrote, or joined. Concurrent where a memory that is quoted changed."""
        ...

    async def covers(self, source: AudienceId, destination: AudienceId) -> bool:
        """Whether each reader of ``destination`` may read what is for ``source``, today. False unless the caller reads both."""
        ...

    async def overheard(self, message: MessageId) -> Overheard | None:
        """A message of a conversation of the caller's account, or an answer to one."""
        ...

    async def looked(self, looked: Sequence[Looked]) -> int:
        """Keep what was found again, for a memory that the caller may change; how many there still were."""
        ...
