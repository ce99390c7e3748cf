"""The gateway of tasks and injections."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol
from uuid import UUID

from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId
from whoknows.domain.injection import Injection
from whoknows.domain.principal import Principal
from whoknows.domain.task import Task
from whoknows.policy.standing import ReadScope
from whoknows.ports.paging import Page


class Handover(Protocol):
    """What is handed to sub-agents: tasks with their tokens, and injected copies."""

    async def ancestors(self, agent: PrincipalId) -> Sequence[PrincipalId]: ...
    async def open_task(
        self,
        name: str,
        agents: Sequence[PrincipalId],
        keys: Sequence[CredentialId],
        secret_hashes: Sequence[bytes],
        expires_at: datetime | None,
    ) -> int:
        """The number of the task. ``agents``, ``keys`` and ``secret_hashes`` belong together, one by one."""
        ...

    async def close_task(self, task: int) -> tuple[int, int] | None:
        """(tokens that died, copies that went); None where it was closed before."""
        ...

    async def tasks(self, name: str | None = None) -> Sequence[Task]:
        """Those that the caller opened or is on, newest first."""
        ...

    async def passable(self, scope: ReadScope, copies: Sequence[MemoryId]) -> frozenset[MemoryId]:
        """Those of ``copies`` that the caller may pass on."""
        ...

    async def give(
        self,
        injection: UUID,
        copy: MemoryId,
        target: PrincipalId,
        original: MemoryId,
        listed: bool,
        task: int | None,
        may_pass_on: bool,
        expires_at: datetime | None,
        project_id: str | None,
    ) -> tuple[MemoryId, datetime]:
        """The copy, and since when it is one: ``copy`` itself, or the one that was there where the same was given before."""
        ...

    async def injections(self, scope: ReadScope, given: bool | None, limit: int, cursor: str | None) -> Page[Injection]:
        """``given``: only what the caller gave (True) or was given (False)."""
        ...

    async def given_of(self, scope: ReadScope, originals: Sequence[MemoryId]) -> Sequence[Injection]:
        """What the caller gave of ``originals`` and is still with somebody, oldest first."""
        ...

    async def given_to(self, scope: ReadScope) -> Sequence[Principal]:
        """With whom something that the caller gave is now."""
        ...

    async def injection(self, scope: ReadScope, injection: UUID) -> Injection | None: ...
    async def withdraw(self, injection: UUID) -> bool: ...
