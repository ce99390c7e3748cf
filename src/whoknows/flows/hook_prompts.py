"""Prompts: what memory holds on a prompt is put beside it, once a session, and only what reaches the floor."""

import asyncio
from dataclasses import dataclass
from time import perf_counter

from whoknows.domain.egress import Purpose
from whoknows.domain.harness import Outcome, Placed
from whoknows.domain.hook_exchange import message_number
from whoknows.domain.ids import new_trace_id
from whoknows.domain.trace import Trace
from whoknows.flows.aim import Aim
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.hook_records import Search, matching
from whoknows.flows.hooked import Arrival, Hooked, given_in, standing_and_place, turn_of, with_block
from whoknows.flows.limits import Limits
from whoknows.flows.recall import mode_of, trace_body
from whoknows.harness.block import recalled
from whoknows.harness.cutting import asked, ends
from whoknows.harness.events import Prompted
from whoknows.harness.outputs import output
from whoknows.harness.own_text import without_own
from whoknows.harness.session import present, was_told
from whoknows.harness.skipping import why_unasked, why_unheard
from whoknows.policy.hooks import hook_scope, hook_spaces
from whoknows.ports import Clock, Store
from whoknows.recall.background import Aimed
from whoknows.recall.tokens import question_terms

PATIENCE = 0.6
"""Seconds for the embedder: who asks waits one second in all, and words alone find something."""
_LOOKED_AT = (2_000, 1_000)
"""Bytes at both ends of a prompt in which secrets are looked for, before the question is cut out of them."""
_DEGRADED = (
    "WhoKnows: the embedder does not answer, so memory is searched by words alone for now. "
    "WhoKnows：嵌入模型没有应答，记忆暂时只按词检索。"
)


@dataclass(frozen=True, slots=True)
class HookPrompts:
    store: Store
    aim: Aim
    egress: Egress
    limits: Limits
    clock: Clock

    async def __call__(self, arrival: Arrival, event: Prompted) -> Hooked:
        own = without_own(event.prompt)
        unasked = why_unasked(event, own)
        if unasked is not None:
            return await self._unasked(arrival, event, own, unasked)
        # Words of a directory that is routed nowhere leave for no embedder.
        if self.egress.leaves(Purpose.EMBEDDING) is not None and not await self._is_placed(arrival):
            return Hooked()
        about = asked(ends(own, *_LOOKED_AT, self.limits.redaction.clean))
        terms = question_terms(about)
        asked_at = self.clock.now()
        aimed, degraded = await self._aimed(arrival, about)
        embedded = perf_counter()
        async with self.store.read(arrival.caller) as tx:
            standing, place = await standing_and_place(tx, arrival)
            if place is None:
                return Hooked()
            given = await given_in(tx, arrival)
            there = present(given, event.turn_id)
            matched = await matching(tx, hook_scope(standing, place), place, Search(about, terms, aimed), there)
        identity = new_trace_id()
        block = recalled(matched.records, place.project_id, identity)
        turn = turn_of(arrival, place, self.clock, Outcome.NOTHING, degraded, identity=identity)
        turn = with_block(turn, block)
        exchange = message_number(arrival.program, arrival.event.session_id, event.turn_id)
        body = {"exchange": exchange} | trace_body(
            matched.found,
            terms,
            matched.ranked,
            limit=len(matched.ranked.hits),
            embed_ms=1000 * (embedded - arrival.began),
            degraded=degraded,
        )
        trace = Trace(
            id=identity,
            reader=standing.reader.space,
            question=about,
            asked_at=asked_at,
            searched=hook_spaces(standing, place),
            mode=mode_of(matched.ranked, matched.found),
            took_ms=turn.took_ms,
            body=body,
        )
        notice = _DEGRADED if degraded is not None and not was_told(given, degraded) else None
        return Hooked(output(event, block.text, notice), turn, trace, _kept(place, own))

    async def _unasked(self, arrival: Arrival, event: Prompted, own: str, why: str) -> Hooked:
        async with self.store.read(arrival.caller) as tx:
            _, place = await standing_and_place(tx, arrival)
        if place is None:
            return Hooked()
        heard = why_unheard(event, own) is None
        return Hooked({}, turn_of(arrival, place, self.clock, Outcome.SKIPPED, why), None, _kept(place, own) if heard else None)

    async def _is_placed(self, arrival: Arrival) -> bool:
        async with self.store.read(arrival.caller) as tx:
            return (await standing_and_place(tx, arrival))[1] is not None

    async def _aimed(self, arrival: Arrival, about: str) -> tuple[Aimed | None, str | None]:
        try:
            async with asyncio.timeout(PATIENCE):
                aimed, why = await self.aim.attempt(arrival.caller, about)
        except TimeoutError:
            return None, "embedder_unavailable"
        return aimed, None if why == FORBIDDEN else why


def _kept(place: Placed, own: str) -> str | None:
    return own if place.stage.captures else None
