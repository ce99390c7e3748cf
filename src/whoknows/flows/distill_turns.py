"""Turns of chat become memory by themselves: behind the answer, once, as the one who asked."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import Exchange, ExchangeState
from whoknows.domain.distillation import ClaimedTurn
from whoknows.domain.ids import PrincipalId
from whoknows.errors import NotFound
from whoknows.flows.by_itself import Rounds, as_asked, attempted, forever
from whoknows.flows.distill import Distill, Transcript, Turn
from whoknows.flows.hearing import Message, Role
from whoknows.ports import Store

LEASE = timedelta(minutes=1)
"""So long a turn stays with a process that died. One that lives says again that it has it, however long a model takes."""
TRIES = 5
_AT_ONCE = 8
_BEFORE = 3
"""Earlier turns that are read, so that "yes, like that" is understood."""
_LOG = logging.getLogger("whoknows.distill")


@dataclass(frozen=True, slots=True)
class DistillTurns:
    """``run`` goes on until it is cancelled. What a killed server leaves undone, the next one does once the lease is over."""

    store: Store
    distill: Distill
    lease: timedelta = LEASE
    rounds: Rounds = field(default_factory=Rounds)

    async def run(self) -> None:
        await forever(self.some)

    async def some(self) -> int:
        """A round; how many were taken on."""
        return await self.rounds.next(self, self.lease)

    async def claim(self, lease: timedelta, after: PrincipalId | None, /) -> Sequence[ClaimedTurn]:
        async with self.store.jobs() as jobs:
            return await jobs.claim_turns(lease, _AT_ONCE, TRIES, after)

    async def renew(self, held: Sequence[ClaimedTurn], lease: timedelta, /) -> None:
        async with self.store.jobs() as jobs:
            await jobs.renew_turns(held, lease)

    def account(self, one: ClaimedTurn, /) -> PrincipalId:
        return one.account

    async def take_on(self, turn: ClaimedTurn, /) -> None:
        async def put_off(_: str, for_good: bool) -> None:
            async with self.store.jobs() as jobs:
                await jobs.put_off_turn(turn, for_good)

        await attempted(_LOG, "a turn", self._heard(turn), put_off)

    async def _heard(self, turn: ClaimedTurn) -> None:
        with suppress(NotFound):  # the conversation was deleted
            await self._distilled(turn)

    async def _distilled(self, turn: ClaimedTurn) -> None:
        caller = as_asked(turn.tenant, turn.credential, turn.asked_by)
        async with self.store.read(caller) as tx:
            await tx.directory.standing()  # Forbidden where the key has ended: it sees no conversation either
            now = await tx.conversations.exchange(turn.conversation, turn.message)
            page = await tx.conversations.exchanges(turn.conversation, _BEFORE, str(turn.message))
        if now is None:
            raise NotFound
        before = tuple(m for e in page.items for m in said_in(e))
        transcript = Transcript(turn.project_id, said_in(now), before=before)
        await self.distill(caller, transcript, turn=Turn(turn.message, turn.conversation, turn.claim))


def said_in(exchange: Exchange) -> tuple[Message, ...]:
    """What the person said, and what a model answered. An answer in evidence mode is memory already, and one that broke off is
    no result."""
    asked = Message(str(exchange.message_id), Role.USER, exchange.message)
    whole = exchange.state is ExchangeState.DONE and exchange.mode is AnswerMode.FULL
    if not whole or not exchange.answer:
        return (asked,)
    return asked, Message(str(exchange.answer_id), Role.ASSISTANT, exchange.answer)
