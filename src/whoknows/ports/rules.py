"""Rules in Git: the repositories that they are written to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from whoknows.domain.proposal import ProposalId
from whoknows.domain.source import SourceLocation


@dataclass(frozen=True, slots=True)
class RuleCommit:
    """One commit: ``section`` at the end of the file at ``path``, on a new ``branch``. ``author`` is a name."""

    proposal: ProposalId
    branch: str
    path: str
    section: str
    subject: str
    author: str
    at: datetime


@dataclass(frozen=True, slots=True)
class RuleChange:
    """What a commit would make of its file. ``before`` is None where there is no such file yet."""

    path: str
    branch: str
    before: str | None
    after: str


class RuleWriter(Protocol):
    """Writes to repositories: objects, and one new branch; nothing else of them changes."""

    @property
    def allowed(self) -> Sequence[str]:
        """Files, and folders that end with ``/``, that rules may be written to, relative to the repository."""
        ...

    def path_fault(self, path: str) -> str | None:
        """Why no rule is written to ``path``, or None."""
        ...

    async def written(self, where: SourceLocation, branch: str, proposal: ProposalId) -> str | None:
        """The commit of ``branch`` if it is the one for ``proposal``."""
        ...

    async def preview(self, where: SourceLocation, commit: RuleCommit) -> RuleChange:
        """What ``write`` would do, without doing it; raises what that would raise."""
        ...

    async def write(self, where: SourceLocation, commit: RuleCommit) -> str:
        """The hash of the commit; of the one that is there, where the same was written before.

        Raises BranchTaken, Invalid where the path leads elsewhere in the repository, SourceUnreadable.
        """
        ...
