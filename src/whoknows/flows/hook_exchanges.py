"""Exchanges: what somebody asked and what the program answered last wait, without secrets, until they are distilled."""

import asyncio
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.harness import HookTurn, Outcome
from whoknows.flows.hooked import Arrival, given_in, standing_and_place, turn_of
from whoknows.flows.limits import Limits, is_blank
from whoknows.harness.cutting import ends
from whoknows.harness.events import Stopped
from whoknows.harness.own_text import without_own
from whoknows.harness.session import prompt_of
from whoknows.harness.skipping import UNHEARD, why_unkept
from whoknows.policy.accounts import account_for
from whoknows.ports import Clock, Store, TurnName

PROMPT, ANSWER = (14_000, 6_000), (6_000, 6_000)
"""Bytes at the beginning and the end of each that are heard; what lies between is mostly pasted."""
_WAITING = 20
"""Prompts of one session that wait for an answer."""


@dataclass(frozen=True, slots=True)
class HookExchanges:
    store: Store
    limits: Limits
    clock: Clock

    async def asked(self, caller: Caller, turn: HookTurn, prompt: str) -> None:
        """Nothing is kept where there is no account to learn for, or it wants nothing learned, at all or in this project."""
        clean = await asyncio.to_thread(ends, prompt, *PROMPT, self.limits.redaction.clean)
        async with self.store.write(caller) as tx:
            if account_for(await tx.directory.standing()) is None:
                return
            changes = await tx.workplaces.changes(turn.project_id, 1)
            if not changes or not changes[0].stage.captures:
                return  # it was taken back since
            if (await tx.distillations.distilling(turn.project_id)).automatic:
                await tx.hook_turns.keep_prompt(_name(turn), turn.project_id, clean, _WAITING)

    async def stopped(self, arrival: Arrival, event: Stopped) -> None:
        """The exchange is whole, and kept before this returns. The same again changes nothing."""
        async with self.store.read(arrival.caller) as tx:
            _, place = await standing_and_place(tx, arrival)
        if place is None or not place.stage.captures:
            return
        own = without_own(event.answer or "")
        answer = await asyncio.to_thread(ends, own, *ANSWER, self.limits.redaction.clean)
        async with self.store.write(arrival.caller) as tx:
            standing, place = await standing_and_place(tx, arrival)
            if place is None or not place.stage.captures:
                return
            account = account_for(standing)
            number = event.turn_id
            if number is None and account is not None:
                number = await tx.hook_turns.waiting(arrival.program, event.session_id)
            if number is None:
                return
            why = why_unkept(event) or ("no_answer" if is_blank(answer) else None)
            prompt = prompt_of(await given_in(tx, arrival), number)
            if why is None and prompt is not None and prompt.reason in UNHEARD:
                why = prompt.reason
            if why is None and account is None:
                why = "no_account"
            if why is None and not (await tx.distillations.distilling(place.project_id)).automatic:
                why = "distilling_off"
            outcome = Outcome.CAPTURED if why is None else Outcome.SKIPPED
            turn = turn_of(arrival, place, self.clock, outcome, why, number)
            if await tx.hook_turns.note(turn) and why is None:
                await tx.hook_turns.keep_answer(_name(turn), place.project_id, answer)


def _name(turn: HookTurn) -> TurnName:
    return TurnName(turn.program, turn.session_id, turn.turn_id)
