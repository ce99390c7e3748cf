"""The gateways of observations: of a request within its scope, and of the background work."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.observation import Gathered, Made, Observation, Statement
from whoknows.domain.principal import GateLevel, Principal
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.ports.memories import IndexTerms
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class Words:
    """A text that is no source's own, with what both arms need of it."""

    content: str
    content_hash: str
    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool


@dataclass(frozen=True, slots=True)
class Stating:
    """What an observation is to say and to rest on. ``stated`` lends its words; else ``words`` are its own.

    Without either, one that is there keeps the words that it has.
    """

    sources: Sequence[Statement]
    stated: MemoryId | None
    words: Words | None
    evidence: Sequence[Evidence]
    made: Made
    held: bool


class Put(StrEnum):
    """What became of an attempt to make an observation, or to make it anew."""

    MADE = "made"
    RECOMPUTED = "recomputed"
    UNCHANGED = "unchanged"
    """it says the same as before, and rests on what its sources are now"""
    ARCHIVED = "archived"
    """fewer than two sources were left"""
    TAKEN = "taken"
    """its sources are stated already"""
    REFUSED = "refused"
    """somebody deleted an observation of these"""
    CHANGED = "changed"
    """a source, or the observation, is not what it was: look again"""


@dataclass(frozen=True, slots=True)
class Resting:
    """An observation as it is computed anew: its sources as they are now, as far as it may still rest on them."""

    id: MemoryId
    version: int
    audience: AudienceId
    made: Made
    gathered: Gathered
    content: str
    stated: MemoryId | None
    sources: Sequence[Statement]
    evidence: Sequence[tuple[MemoryId, str]]
    """(source, quote) of what it cited"""


class Deriving(Protocol):
    """What gathering statements needs, whoever does it."""

    async def around(self, seed: MemoryId, most: int) -> Sequence[Statement]:
        """A statement and the nearest of its audience and project, itself first; empty where it may not be observed."""
        ...

    async def statements(self, memories: Sequence[MemoryId]) -> Sequence[Statement]:
        """Those of ``memories`` that an observation may rest on, in the given order."""
        ...

    async def resting_on(self, statements: Sequence[MemoryId]) -> dict[MemoryId, MemoryId]:
        """Of those that a gathered observation rests on: which one."""
        ...

    async def resting(self, observation: MemoryId) -> Resting | None: ...
    async def gate(self, audience: AudienceId) -> tuple[Principal, GateLevel]:
        """Whose audience it is, and its gate."""
        ...

    async def put(self, observation: MemoryId, stating: Stating, gathered: Gathered, own: bool) -> Put:
        """``own``: the caller is its author, and not the author of the words that it states."""
        ...

    async def put_again(self, resting: Resting, stating: Stating) -> Put: ...
    async def retire(self, resting: Resting) -> Put: ...


class Observations(Protocol):
    """Observations of one transaction of a request. Every read takes the scope first."""

    def deriving(self, scope: ReadScope) -> Deriving: ...
    async def page(
        self,
        scope: ReadScope,
        project_id: str | None,
        owners: Sequence[int],
        stale: bool | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Observation]:
        """Newest first; ``owners``: only of their audiences, where any is named."""
        ...

    async def get(self, scope: ReadScope, observation: MemoryId) -> Observation | None: ...
    async def of_exactly(self, scope: ReadScope, memories: Sequence[MemoryId], content_hash: str | None) -> MemoryId | None:
        """The one that rests on these and no others, as somebody named them; of this text, or (None) of words of theirs."""
        ...

    async def seeds(
        self, scope: ReadScope, owners: Sequence[int], project_id: str | None, limit: int, cursor: str | None
    ) -> Page[MemoryId]:
        """Statements in audiences of ``owners`` that the caller may write to, on which nothing rests, newest first."""
        ...


class ObservationJobs(Deriving, Protocol):
    """The same for the background work, over everything."""

    async def due(self, settled: timedelta, most: int) -> Sequence[MemoryId]:
        """Memories that were written or changed so long ago and not looked at since, the oldest first."""
        ...

    async def looked_at(self, memories: Sequence[MemoryId]) -> None: ...
    async def suspects(self, most: int) -> Sequence[MemoryId]:
        """Observations of which a source was touched."""
        ...

    async def unsuspect(self, observation: MemoryId) -> None: ...
    async def remakes(self, most: int) -> Sequence[tuple[MemoryId, Gathered, Sequence[Statement]]]:
        """Observations that went with a source, and those of their other sources that may still be observed."""
        ...

    async def remade(self, observation: MemoryId) -> None: ...
