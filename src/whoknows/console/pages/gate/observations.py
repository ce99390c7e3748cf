"""Observations: what several memories say, stated once, what each rests on, and whether that still stands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import GATE, PAGE, back, known_did, own_teams
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of, writer_of
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import MemoryId
from whoknows.domain.observation import Observation, SourceNow
from whoknows.rest.parameters import MemoryRef

router = APIRouter(prefix="/gate", route_class=Guarded)
Field = Annotated[str, Form()]
Count = Annotated[int, Form(ge=0, le=10_000_000)]

_SHOWN = 10
"""Memories of one observation that a card names; the others are on its own page."""
DONE = ("recomputed", "unchanged", "archived", "deleted")


@dataclass(frozen=True, slots=True)
class Rest:
    """One memory that an observation rests on, with its words as they were read."""

    source: SourceNow
    quote: str | None


@dataclass(frozen=True, slots=True)
class Card:
    """``rests``: the first of what it rests on."""

    observation: Observation
    rests: tuple[Rest, ...]


@router.get("/observations")
async def observations(request: Request, stale: bool = False, did: str | None = None, after: str | None = None) -> Response:
    door = closed_door(request, "gate", tab="observations")
    if door is not None:
        return door
    caller = await reader_of(request)
    page = await service_of(request).observe.list(caller, stale=True if stale else None, limit=PAGE, cursor=after)
    is_more = is_part(request) and after is not None
    return render(
        request,
        "gate/observation_cards.html" if is_more else "gate/observations.html",
        tab="observations",
        cards=[_card(o) for o in page.items],
        next_cursor=page.next_cursor,
        stale=stale,
        did=known_did(did, DONE),
        teams=[] if is_more else await own_teams(request, viewer_of(request)),
        may_act=viewer_of(request).eyes is None,
    )


@router.post("/observations/{memory_id}/recompute")
async def recompute(request: Request, memory_id: MemoryRef) -> Response:
    told = await service_of(request).observe.recompute(writer_of(request), MemoryId(memory_id))
    if is_part(request):
        return render(
            request, "gate/observation_again.html", card=_card(told.observation), outcome=str(told.outcome), may_act=True
        )
    return back(request, f"{GATE}/observations", str(told.outcome))


@router.post("/observations/{memory_id}/delete")
async def delete(request: Request, memory_id: MemoryRef) -> Response:
    """Only it: what it rests on stays, and it is not made again of that."""
    caller, service = writer_of(request), service_of(request)
    found = await service.observe.get(caller, MemoryId(memory_id))
    await service.forget(caller, found.memory.id)
    return back(request, f"{GATE}/observations", "deleted")


@router.post("/observations/consolidate")
async def consolidate(request: Request, team: Field = "", cursor: Field = "", looked: Count = 0, made: Count = 0) -> Response:
    """One stretch of memories; the page asks for the next by itself, as long as there is one."""
    caller, project = writer_of(request), viewer_of(request).project
    done = await service_of(request).consolidate(caller, project, team or None, cursor or None)
    return render(
        request,
        "gate/consolidating.html" if is_part(request) else "gate/consolidated.html",
        tab="observations",
        team=team,
        looked=looked + done.looked_at,
        made=made + len(done.told),
        next_cursor=done.next_cursor,
    )


def _card(observation: Observation) -> Card:
    quotes = _quotes(observation.memory.evidence)
    # What changed first, then what lent its words.
    ordered = sorted(observation.sources, key=lambda s: (s.changed is None, not s.stated))
    return Card(observation, tuple(Rest(s, quotes.get(str(s.memory))) for s in ordered[:_SHOWN]))


def _quotes(evidence: tuple[Evidence, ...]) -> Mapping[str, str]:
    return {e.locator: e.quote for e in evidence if e.source_kind is SourceKind.MEMORY and e.quote is not None}
