"""The gateway of hook turns: what each event got, and the exchanges that wait to be distilled."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from whoknows.domain.harness import HookTurn, NotedTurn, Program
from whoknows.domain.hook_exchange import ClaimedExchange, Given
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.policy.standing import ReadScope
from whoknows.ports.paging import Page


@dataclass(frozen=True, slots=True)
class TurnName:
    """By which an event is known again: the same one changes nothing."""

    program: Program
    session_id: str
    turn_id: str


class HookTurns(Protocol):
    """Those of the caller's account alone."""

    async def of_session(self, program: Program, session: str, limit: int) -> Sequence[Given]:
        """The newest first."""
        ...

    async def newest(self, scope: ReadScope, project: str, limit: int, cursor: str | None) -> Page[NotedTurn]:
        """Of a project, in any session. The scope says whose traces may be opened. Invalid for an unknown cursor."""
        ...

    async def important(self, scope: ReadScope, project: str, each: int) -> Sequence[MemoryId]:
        """Decisions, risks and the like of ``project``, rules and preferences of none too: ``each`` of a kind, the newest of
        every kind before the second."""
        ...

    async def note(self, turn: HookTurn) -> bool:
        """False where it is noted already. Forbidden for who has no workplaces."""
        ...

    async def keep_prompt(self, turn: TurnName, project: str, prompt: str, most: int) -> None:
        """Until the program stops; ``most`` of a session wait. Forbidden where there is no account."""
        ...

    async def keep_answer(self, turn: TurnName, project: str, answer: str) -> None: ...
    async def waiting(self, program: Program, session: str) -> str | None:
        """The turn of the newest prompt of a session that has no answer yet."""
        ...

    async def settle(self, exchange: UUID, claim: UUID) -> bool:
        """The exchange is done with this transaction, and its texts are gone. False where another did it."""
        ...


class HookJobs(Protocol):
    """The same for background work, of everyone."""

    async def claim(
        self, lease: timedelta, most: int, tries: int, after: PrincipalId | None = None
    ) -> Sequence[ClaimedExchange]:
        """Whole exchanges, for so long in the caller's hands; after ``tries`` one is given up.

        The oldest of each owner that has none in hand, by owner, beginning with the owner behind ``after``.
        """
        ...

    async def renew(self, exchanges: Sequence[ClaimedExchange], lease: timedelta) -> None:
        """Those that are still in the caller's hands stay there for so long."""
        ...

    async def put_off(self, exchange: ClaimedExchange, fault: str, for_good: bool) -> None:
        """It failed: again after a pause, or never."""
        ...
