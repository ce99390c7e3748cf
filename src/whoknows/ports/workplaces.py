"""The gateway of workplaces and stages, those of the caller's account alone."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.harness import ConnectedProject, Placed, Program, Stage, StageChange, Workplace
from whoknows.policy.workplaces import Directory


class Workplaces(Protocol):
    async def all(self) -> Sequence[Workplace]: ...

    async def holding(
        self, program: Program | None, machine: str, directories: Sequence[Directory]
    ) -> Sequence[tuple[Program, Placed]]:
        """Those that are one of ``directories``, the longest first. The team is the one that the project goes to, if known."""
        ...

    async def register(self, program: Program, machine: str, directory: Directory, project: str, most: int) -> bool:
        """Or move to another project. False where there are ``most`` already. Forbidden for who has no workplaces."""
        ...

    async def unregister(self, program: Program, machine: str, directory: Directory) -> bool:
        """False where there is none."""
        ...

    async def connected(self, project: str) -> int:
        """How many workplaces the project has."""
        ...

    async def projects(self, limit: int) -> Sequence[ConnectedProject]:
        """Those with a workplace, and those whose stage was ever changed, by name."""
        ...

    async def changes(self, project: str, limit: int) -> Sequence[StageChange]:
        """Of its stage, the newest first: that one is the stage; without any it is off."""
        ...

    async def set_stage(self, project: str, before: Stage, stage: Stage, reason: str | None) -> bool:
        """False where its stage is not ``before`` any more. StageUnreachable where the rules do not allow it."""
        ...
