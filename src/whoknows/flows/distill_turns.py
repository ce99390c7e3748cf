"""Turns of chat become memory by themselves: behind the answer, once, as the one who asked."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import Exchange, ExchangeState
from whoknows.domain.credential import Caller, Credential
from whoknows.domain.distillation import ClaimedTurn
from whoknows.domain.ids import PrincipalId
from whoknows.errors import Forbidden, Invalid, NotFound, Unauthenticated, WhoKnowsError
from whoknows.flows.distill import Distill, Overtaken, Transcript, Turn
from whoknows.flows.hearing import Message, Role
from whoknows.ports import Store

LEASE = timedelta(minutes=15)
"""So long a turn is in the hands of one process: longer than a model may take for it."""
TRIES = 5
_AT_ONCE = 8
_BEFORE = 3
"""Earlier turns that are read, so that "yes, like that" is understood."""
_LOOK_SECONDS = 1.0
_LOG = logging.getLogger("whoknows.distill")


@dataclass(frozen=True, slots=True)
class DistillTurns:
    """``run`` goes on until it is cancelled. What a killed server leaves undone, the next one does."""

    store: Store
    distill: Distill

    async def run(self) -> None:
        while True:
            if not await self.some():
                await asyncio.sleep(_LOOK_SECONDS)

    async def some(self) -> int:
        """A few turns that wait; how many were taken on."""
        async with self.store.jobs() as jobs:
            turns = await jobs.claim_turns(LEASE, _AT_ONCE, TRIES)
        of_account: dict[PrincipalId, list[ClaimedTurn]] = {}
        for turn in turns:
            of_account.setdefault(turn.account, []).append(turn)
        await asyncio.gather(*(self._in_order(some) for some in of_account.values()))
        return len(turns)

    async def _in_order(self, turns: Sequence[ClaimedTurn]) -> None:
        """Of one account: what was said later may change what was said before."""
        for turn in turns:
            await self._one(turn)

    async def _one(self, turn: ClaimedTurn) -> None:
        try:
            await self._distilled(turn)
        except NotFound:
            pass  # the conversation was deleted
        except Overtaken:  # by another process, or its answer went meanwhile: then what the person said is heard alone
            await self._put_off(turn, for_good=False)
        except (Forbidden, Unauthenticated, Invalid) as fault:
            _LOG.info("a turn is not distilled: %s", fault.code)
            await self._put_off(turn, for_good=True)
        except WhoKnowsError as fault:
            _LOG.warning("a turn could not be distilled: %s", fault.code)
            await self._put_off(turn, for_good=False)
        except Exception as fault:  # whatever one message does, those of others go on
            _LOG.error("a turn could not be distilled: %s", type(fault).__name__)
            await self._put_off(turn, for_good=False)

    async def _put_off(self, turn: ClaimedTurn, for_good: bool) -> None:
        try:
            async with self.store.jobs() as jobs:
                await jobs.put_off_turn(turn, for_good)
        except WhoKnowsError:
            pass  # its lease ends by itself

    async def _distilled(self, turn: ClaimedTurn) -> None:
        caller = caller_of(turn)
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


def caller_of(turn: ClaimedTurn) -> Caller:
    """The one who asked, with the key that was used then: the database says what that may still do today."""
    credential = Credential(
        id=turn.credential,
        tenant_id=turn.tenant,
        tenant="",
        acts_as=(turn.asked_by,),
        permissions=frozenset(),
        task_id=None,
        expires_at=None,
    )
    return Caller(credential, turn.asked_by)
