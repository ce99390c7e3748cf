"""A session: what it has got already, by what its earlier events got."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.harness import HookEvent, Outcome
from whoknows.domain.hook_exchange import Given
from whoknows.domain.ids import MemoryId
from whoknows.harness.events import Source

_FORGETS = (Source.CLEAR, Source.COMPACT)
"""Ways of beginning again after which what was put in before is not there any more."""


@dataclass(frozen=True, slots=True)
class Stands:
    """Since when, and whether in full or as a line of a brief."""

    since: datetime
    whole: bool


def start_turn(source: Source, given: Sequence[Given]) -> str:
    """By which this beginning is known again: a session may be compacted many times, with turns between."""
    if source not in _FORGETS:
        return str(source)
    last = next((g.turn_id for g in given if g.event is HookEvent.PROMPT), "")
    return f"{source}:{last}"


def present(given: Sequence[Given], turn_id: str) -> Mapping[MemoryId, Stands]:
    """What stands in the session; ``given`` newest first. The turn itself counts as not having been."""
    found: dict[MemoryId, Stands] = {}
    for one in given:
        if one.turn_id == turn_id:
            continue
        if one.event in (HookEvent.PROMPT, HookEvent.SESSION_START):
            whole = one.event is HookEvent.PROMPT
            for memory in one.memories:
                if memory not in found or (whole and not found[memory].whole):
                    found[memory] = Stands(one.at, whole)
        if _begins_again(one):
            break
    return found


def stood(given: Sequence[Given], turn_id: str) -> list[MemoryId]:
    """What stood in the session until now, the latest first."""
    return list(present(given, turn_id))


def was_told(given: Sequence[Given], code: str) -> bool:
    """Whether a person was shown in this session already that memory is degraded in this way."""
    return any(g.reason == code and g.outcome in (Outcome.INJECTED, Outcome.NOTHING) for g in given)


def prompt_of(given: Sequence[Given], turn_id: str) -> Given | None:
    return next((g for g in given if g.event is HookEvent.PROMPT and g.turn_id == turn_id), None)


def _begins_again(given: Given) -> bool:
    return given.event is HookEvent.SESSION_START and given.turn_id.partition(":")[0] in _FORGETS
