"""Proposals: an experience that held in unrelated projects, and would be a rule if somebody said so (C13, C14)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from uuid import UUID, uuid5

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Category
from whoknows.domain.observation import Statement
from whoknows.domain.principal import Principal

ProposalId = NewType("ProposalId", UUID)
_NAMESPACE = UUID("5b0f1d0e-7c0a-4d58-9d2b-6a3c1f4e8b27")
CATEGORIES = (Category.EXPERIENCE, Category.CORRECTION, Category.WORKFLOW_RULE)
"""What was learned by doing, what had to be put right, and how one works: facts and preferences become no rules."""


class ProposalState(StrEnum):
    PENDING = "pending"
    """nobody has decided yet"""
    WRITING = "writing"
    """confirmed, and not known to be in the repository: confirming again goes on"""
    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Experience:
    """A memory that may bear a proposal out. ``said_in``: the sessions and messages it comes from.

    ``near``: others whose vectors are as near as those of what says the same.
    """

    statement: Statement
    category: Category
    project_id: str
    author: Principal
    created_at: datetime
    said_in: frozenset[str]
    near: frozenset[MemoryId]


@dataclass(frozen=True, slots=True)
class Proposal:
    """``stated`` is the experience that is nearest to all; ``experiences`` are all of them, the oldest first."""

    id: ProposalId
    stated: Experience
    experiences: tuple[Experience, ...]

    @property
    def sources(self) -> frozenset[MemoryId]:
        return frozenset(e.statement.id for e in self.experiences)

    @property
    def audiences(self) -> frozenset[AudienceId]:
        return frozenset(e.statement.audience for e in self.experiences)

    @property
    def projects(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(e.project_id for e in self.experiences))


@dataclass(frozen=True, slots=True)
class ProposalDecision:
    """What a member decided about a proposal. ``commit`` is the one that was written, on ``branch`` of ``repository``."""

    id: ProposalId
    state: ProposalState
    sources: frozenset[MemoryId]
    decided_by: Principal
    at: datetime
    reason: str | None
    repository: str | None
    path: str | None
    branch: str | None
    commit: str | None


def proposal_id(statements: Sequence[Statement]) -> ProposalId:
    """The same for the same memories with the same words, whoever looks: what is confirmed is what was seen."""
    said = "\n".join(sorted(f"{s.id} {s.content_hash}" for s in statements))
    return ProposalId(uuid5(_NAMESPACE, said))
