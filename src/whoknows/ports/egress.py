"""The gateway of egress: which banks forbid it, and the count of what was sent."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.egress import EgressRule, Endpoint, Sent
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.policy.standing import ReadScope


class Egress(Protocol):
    """The rules of the tenant's banks, and counts: ids and numbers, never a text."""

    async def forbidding(self) -> frozenset[PrincipalId]:
        """The banks of the tenant whose texts may not leave."""
        ...

    async def rules(self, owners: Sequence[PrincipalId]) -> Sequence[EgressRule]: ...
    async def forbid(self, bank: PrincipalId, forbidden: bool) -> None:
        """By its owner, by an owner of the team, or by an administrator. Forbidden for anyone else."""
        ...

    async def kept_back(self) -> int:
        """How many of the caller's own texts wait for vectors while their bank forbids egress."""
        ...

    async def note(self, endpoint: Endpoint, memories: Sequence[MemoryId], own: bool = False) -> None:
        """Count one request with ``memories``, as far as the caller may see them; ``own``: with words of its own."""
        ...

    async def sent(self, scope: ReadScope) -> Sequence[Sent]:
        """What was sent of what ``scope`` holds, and of the reader's own words."""
        ...
