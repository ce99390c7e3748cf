"""Briefs: what somebody should know who begins in a project, or begins again after its context was compacted."""

from dataclasses import dataclass

from whoknows.domain.harness import Outcome, Placed
from whoknows.flows.hook_records import important, those
from whoknows.flows.hooked import Arrival, Hooked, given_in, standing_and_place, turn_of, with_block
from whoknows.harness.block import Block, brief
from whoknows.harness.events import SessionStarted, Source, SubagentStarted
from whoknows.harness.outputs import output
from whoknows.harness.session import present, start_turn, stood
from whoknows.harness.skipping import why_unbriefed
from whoknows.policy.hooks import hook_scope
from whoknows.ports import Clock, Store

SUBAGENT = 800
"""Characters for a sub-agent, whose task is small."""
_REPLAYED = (Source.RESUME, Source.FORK)
"""Ways of beginning in which all that stood in the session comes back with it."""


@dataclass(frozen=True, slots=True)
class HookBriefs:
    store: Store
    clock: Clock

    async def started(self, arrival: Arrival, event: SessionStarted) -> Hooked:
        if event.source in _REPLAYED:
            return Hooked()
        async with self.store.read(arrival.caller) as tx:
            standing, place = await standing_and_place(tx, arrival)
            if place is None:
                return Hooked()
            given = await given_in(tx, arrival)
            turn_id = start_turn(event.source, given)
            scope = hook_scope(standing, place)
            if event.source is Source.COMPACT:
                records = await those(tx, scope, place, stood(given, turn_id))
                block = brief(records, place.project_id, "compaction")
            else:
                there = present(() if event.source is Source.CLEAR else given, turn_id)
                block = brief(await important(tx, scope, place.project_id, there), place.project_id, "session")
        return self._hooked(arrival, place, block, turn_id)

    async def subagent(self, arrival: Arrival, event: SubagentStarted) -> Hooked:
        if why_unbriefed(event) is not None:
            return Hooked()
        async with self.store.read(arrival.caller) as tx:
            standing, place = await standing_and_place(tx, arrival)
            if place is None:
                return Hooked()
            records = await important(tx, hook_scope(standing, place), place.project_id, {})
        return self._hooked(arrival, place, brief(records, place.project_id, "sub-agent", SUBAGENT))

    def _hooked(self, arrival: Arrival, place: Placed, block: Block, turn_id: str | None = None) -> Hooked:
        turn = turn_of(arrival, place, self.clock, Outcome.NOTHING, turn_id=turn_id)
        return Hooked(output(arrival.event, block.text), with_block(turn, block))
