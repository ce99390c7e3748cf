"""Hooked: an event of a program as it arrives, and what it is answered, with what is noted of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Any
from uuid import UUID

from whoknows.domain.credential import Caller
from whoknows.domain.harness import HookEvent, HookTurn, Outcome, Placed, Program
from whoknows.domain.hook_exchange import Given
from whoknows.domain.ids import MemoryId, uuid7
from whoknows.domain.trace import Trace
from whoknows.flows.workplaces import placed
from whoknows.harness.block import Block
from whoknows.harness.events import Event, Prompted, SessionStarted, Stopped, SubagentStarted
from whoknows.policy.standing import Standing
from whoknows.ports import Clock, Tx

_TURNS = 400
"""Of a session that are looked at, the newest."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """Whose event it is, where, and since when we have it (`perf_counter`)."""

    caller: Caller
    program: Program
    machine: str
    event: Event
    began: float


@dataclass(frozen=True, slots=True)
class Hooked:
    """``output`` is the answer. The rest is noted behind it: figures, the trace, and what somebody ``said``."""

    output: dict[str, Any] = field(default_factory=dict[str, Any])
    turn: HookTurn | None = None
    trace: Trace | None = None
    said: str | None = None

    @property
    def context(self) -> str:
        """What is put before the model."""
        return self.output.get("hookSpecificOutput", {}).get("additionalContext", "")


async def standing_and_place(tx: Tx, arrival: Arrival) -> tuple[Standing, Placed | None]:
    """None where the directory is routed nowhere, or its project is off."""
    standing = await tx.directory.standing(None, all_sessions=False)
    found = await placed(tx, standing, arrival.program, arrival.machine, arrival.event.cwd)
    return standing, found if found is not None and found.stage.recalls else None


async def given_in(tx: Tx, arrival: Arrival) -> Sequence[Given]:
    return await tx.hook_turns.of_session(arrival.program, arrival.event.session_id, _TURNS)


def turn_of(
    arrival: Arrival,
    place: Placed,
    clock: Clock,
    outcome: Outcome,
    reason: str | None = None,
    turn_id: str | None = None,
    identity: UUID | None = None,
) -> HookTurn:
    """What is noted of an event that got nothing. ``turn_id``: where the event does not say it itself."""
    return HookTurn(
        id=uuid7() if identity is None else identity,
        program=arrival.program,
        session_id=arrival.event.session_id,
        turn_id=_numbered(arrival.event) if turn_id is None else turn_id,
        project_id=place.project_id,
        stage=place.stage,
        event=_kind(arrival.event),
        outcome=outcome,
        at=clock.now(),
        took_ms=round(1000 * (perf_counter() - arrival.began), 2),
        reason=reason,
    )


def with_block(turn: HookTurn, block: Block) -> HookTurn:
    """The same of one that got ``block``; its tokens are counted behind the answer."""
    scores = [r.score for r in block.told if r.score is not None]
    return replace(
        turn,
        outcome=Outcome.INJECTED if block.told else Outcome.NOTHING,
        memories=tuple(MemoryId(r.id) for r in block.told),
        characters=len(block.text),
        top_score=max(scores, default=None),
        lowest_score=min(scores, default=None),
    )


def _numbered(event: Event) -> str:
    match event:
        case Prompted(turn_id=number) | SubagentStarted(agent=number):
            return number
        case Stopped(turn_id=number):
            return number or ""
        case SessionStarted(source=source):
            return str(source)


def _kind(event: Event) -> HookEvent:
    match event:
        case Prompted():
            return HookEvent.PROMPT
        case SessionStarted():
            return HookEvent.SESSION_START
        case SubagentStarted():
            return HookEvent.SUBAGENT_START
        case Stopped():
            return HookEvent.STOP
