"""The gateway of what a context is put together from: candidates, their cards, and what was used last."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from whoknows.domain.audience import Layer
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.memory import Category
from whoknows.domain.principal import Principal
from whoknows.policy.standing import ReadScope


@dataclass(frozen=True, slots=True)
class Pooled:
    """A memory that may go in because it was used lately, carries a tag that the message names, or is new."""

    id: MemoryId
    audience: AudienceId
    project: str | None
    tags: tuple[str, ...]
    last_used: datetime | None


@dataclass(frozen=True, slots=True)
class ContextCard:
    """A memory as a context shows it. ``locator`` is the first source that the reader may see."""

    id: MemoryId
    content: str
    title: str | None
    category: Category
    layer: Layer
    author: Principal
    owner: Principal
    locator: str | None
    updated_at: datetime


class Context(Protocol):
    """Every read takes the scope first. Only current memories: archived, superseded and held ones never.

    Candidates are those of ``project`` and those of none; what is of another project is no part of a context.
    """

    async def recent(self, scope: ReadScope, project: str, readers: Sequence[PrincipalId], limit: int) -> Sequence[Pooled]:
        """Those that ``readers`` (the reader, and its account) used last, the latest first."""
        ...

    async def tagged(self, scope: ReadScope, project: str, words: str, limit: int) -> Sequence[Pooled]:
        """Those with a tag that stands in ``words`` (small letters), the newest first."""
        ...

    async def newest(self, scope: ReadScope, project: str, general: bool, limit: int) -> Sequence[Pooled]:
        """The newest of the project, or with ``general`` of no project."""
        ...

    async def cards(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[ContextCard]:
        """Those of ``memories`` that are in scope, in the given order."""
        ...

    async def last_used(
        self, scope: ReadScope, memories: Sequence[MemoryId], readers: Sequence[PrincipalId]
    ) -> dict[MemoryId, datetime]: ...
    async def use(self, memories: Sequence[MemoryId]) -> int:
        """They went into a context of the caller, now. How many of them it could still see."""
        ...
