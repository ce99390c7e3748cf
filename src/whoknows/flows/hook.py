"""Hook: an event of a program in, what this program is answered out; and what of it is noted behind the answer."""

import asyncio
import logging
from dataclasses import dataclass, replace
from time import perf_counter

from whoknows.domain.credential import Caller
from whoknows.domain.harness import HookEvent, HookTurn, Program
from whoknows.errors import WhoKnowsError
from whoknows.flows.hook_briefs import HookBriefs
from whoknows.flows.hook_exchanges import HookExchanges
from whoknows.flows.hook_prompts import HookPrompts
from whoknows.flows.hooked import Arrival, Hooked
from whoknows.flows.limits import Limits
from whoknows.flows.room import Room
from whoknows.harness.events import Event, Prompted, SessionStarted, Stopped, SubagentStarted, read_event
from whoknows.ports import Store, Tokenizer

PLACES = 4
"""Events that are answered at a time: fewer than there are connections to the database."""
PATIENCE = 1.0
"""Seconds that one waits for a place: so long a program waits for all of it."""
_LOG = logging.getLogger("whoknows.hooks")


@dataclass(frozen=True, slots=True)
class Hook:
    store: Store
    limits: Limits
    tokenizer: Tokenizer
    prompts: HookPrompts
    briefs: HookBriefs
    exchanges: HookExchanges
    room: Room

    async def __call__(self, caller: Caller, program: Program, machine: str, raw: object) -> Hooked:
        """Nothing where the directory is registered nowhere, or its project is off; Invalid where ``raw`` is no event.

        Busy where too many came at once: but a stop is kept, however long that takes.
        """
        began = perf_counter()
        event = read_event(program, raw)
        if event is None:
            return Hooked()
        self._no_secret_in(event)
        arrival = Arrival(caller, program, machine, event, began)
        async with self.room.place(waits=isinstance(event, Stopped)):
            return await self._answered(arrival)

    async def _answered(self, arrival: Arrival) -> Hooked:
        match arrival.event:
            case Prompted() as event:
                return await self.prompts(arrival, event)
            case SessionStarted() as event:
                return await self.briefs.started(arrival, event)
            case SubagentStarted() as event:
                return await self.briefs.subagent(arrival, event)
            case Stopped() as event:
                await self.exchanges.stopped(arrival, event)
                return Hooked()

    def _no_secret_in(self, event: Event) -> None:
        """Numbers of sessions and turns are kept as they are. Refused where one holds a secret."""
        match event:
            case Prompted(turn_id=turn) | Stopped(turn_id=turn) | SubagentStarted(agent=turn):
                self.limits.redaction.names(session_id=event.session_id, turn_id=turn)
            case SessionStarted():
                self.limits.redaction.names(session_id=event.session_id)

    async def note(self, caller: Caller, hooked: Hooked) -> None:
        """Behind the answer. What cannot be noted is not there later; nobody waits for it."""
        turn = hooked.turn
        if turn is None:
            return
        if hooked.context:
            turn = replace(turn, tokens=await asyncio.to_thread(self.tokenizer.count, hooked.context))
        try:
            async with self.room.place(waits=True):
                await self._noted(caller, hooked, turn)
        except WhoKnowsError as fault:
            _LOG.warning("an event of %s could not be noted: %s", turn.program, fault.code)

    async def _noted(self, caller: Caller, hooked: Hooked, turn: HookTurn) -> None:
        async with self.store.write(caller) as tx:
            if await tx.hook_turns.note(turn) and turn.event is HookEvent.PROMPT and turn.memories:
                await tx.context.use(turn.memories)
        if hooked.trace is not None:
            await self.store.add_trace(caller, hooked.trace)
        if hooked.said is not None:
            await self.exchanges.asked(caller, turn, hooked.said)
