"""The gateway of proposals: the experiences that would be a rule, and what was decided about them."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.proposal import Experience, ProposalDecision, ProposalId
from whoknows.domain.source import SourceId
from whoknows.policy.standing import ReadScope


class Proposals(Protocol):
    """The experiences of a scope, and what was decided. Only members decide; each decision is checked again."""

    async def experiences(self, scope: ReadScope, most: int) -> Sequence[Experience]:
        """The newest that may bear a proposal out, the oldest first."""
        ...

    async def decisions(self, scope: ReadScope, proposal: ProposalId | None = None) -> Sequence[ProposalDecision]:
        """Those about memories that the reader may all see, and its own; newest first. ``proposal``: that one alone."""
        ...

    async def writable(self, audiences: Sequence[AudienceId]) -> bool:
        """Whether the caller may write to all of them."""
        ...

    async def reserve(
        self, proposal: ProposalId, sources: Sequence[MemoryId], source: SourceId, path: str, branch: str
    ) -> None:
        """Confirmed by the caller, and about to be written; nothing where somebody decided before."""
        ...

    async def reject(self, proposal: ProposalId, sources: Sequence[MemoryId], reason: str | None) -> None: ...
    async def settle(self, proposal: ProposalId, commit: str | None) -> None:
        """It was written, or (None) was not, and waits again."""
        ...
