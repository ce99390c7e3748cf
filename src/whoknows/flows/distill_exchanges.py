"""Exchanges of programs become memory by themselves: behind the answer, once, as the one who asked."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from whoknows.domain.conversation import ConversationId
from whoknows.domain.hook_exchange import ClaimedExchange, message_number
from whoknows.domain.ids import PrincipalId
from whoknows.errors import Forbidden
from whoknows.flows.by_itself import Rounds, as_asked, attempted, forever
from whoknows.flows.distill import Distill, Transcript
from whoknows.flows.hearing import Message, Role
from whoknows.policy.accounts import account_for
from whoknows.ports import Store, Tx

LEASE = timedelta(minutes=1)
"""So long an exchange stays with a process that died. One that lives says again that it has it, however long a model takes."""
TRIES = 12
"""With the pauses between them four hours: so long an embedder may be away."""
_AT_ONCE = 8
_LOG = logging.getLogger("whoknows.hooks")


@dataclass(frozen=True, slots=True)
class Settling:
    """An exchange as a distillation has it in hand."""

    exchange: ClaimedExchange

    @property
    def conversation(self) -> ConversationId | None:
        return None

    async def settle(self, tx: Tx, transcript: Transcript) -> bool:  # noqa: ARG002 - it was read by its claim
        return await tx.hook_turns.settle(self.exchange.id, self.exchange.claim)


@dataclass(frozen=True, slots=True)
class DistillExchanges:
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

    async def claim(self, lease: timedelta, after: PrincipalId | None, /) -> Sequence[ClaimedExchange]:
        async with self.store.jobs() as jobs:
            return await jobs.hooks.claim(lease, _AT_ONCE, TRIES, after)

    async def renew(self, held: Sequence[ClaimedExchange], lease: timedelta, /) -> None:
        async with self.store.jobs() as jobs:
            await jobs.hooks.renew(held, lease)

    def account(self, one: ClaimedExchange, /) -> PrincipalId:
        return one.owner

    async def take_on(self, exchange: ClaimedExchange, /) -> None:
        async def put_off(fault: str, for_good: bool) -> None:
            async with self.store.jobs() as jobs:
                await jobs.hooks.put_off(exchange, fault, for_good)

        await attempted(_LOG, "an exchange", self._distilled(exchange), put_off)

    async def _distilled(self, exchange: ClaimedExchange) -> None:
        caller = as_asked(exchange.tenant, exchange.credential, exchange.asked_by)
        async with self.store.read(caller) as tx:
            account = account_for(await tx.directory.standing())  # Forbidden where the key has ended
            changes = await tx.workplaces.changes(exchange.project_id, 1)
            wanted = (await tx.distillations.distilling(exchange.project_id)).automatic
        if account is None or account.id != exchange.owner:
            raise Forbidden("there is no account any more to learn for", reason_code="no_account")
        if not wanted or not changes or not changes[0].stage.captures:
            raise Forbidden("the project was taken back to a stage that learns nothing", reason_code="stage_taken_back")
        await self.distill(caller, Transcript(exchange.project_id, said_in(exchange)), turn=Settling(exchange))


def said_in(exchange: ClaimedExchange) -> tuple[Message, ...]:
    """Numbered by session and turn: the same exchange is known again, whoever sends it."""
    number = message_number(exchange.program, exchange.session_id, exchange.turn_id)
    return (
        Message(number, Role.USER, exchange.prompt),
        Message(f"{number}:answer", Role.ASSISTANT, exchange.answer),
    )
