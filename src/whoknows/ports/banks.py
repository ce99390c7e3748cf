"""The gateway of routings: which project goes to which bank."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.bank import Routing
from whoknows.domain.ids import PrincipalId


class Banks(Protocol):
    """Routings of the tenant: all for an administrator's key, otherwise those to teams that the caller reads."""

    async def routing(self, project: str) -> Routing:
        """Where ``project`` goes; nowhere where it is routed nowhere, or where that is not the caller's to know."""
        ...

    async def routings(self) -> Sequence[Routing]:
        """Those to a team, in the order of their projects."""
        ...

    async def holder(self, remotes: Sequence[str], project: str) -> tuple[str, str] | None:
        """(remote, project): one of ``remotes`` that belongs to another project than ``project`` already."""
        ...

    async def route(self, project: str, team: PrincipalId | None, remotes: Sequence[str]) -> None:
        """Say anew where ``project`` goes and which remotes are its own; needs ``admin``.

        RemoteTaken where one of them is another project's.
        """
        ...
