"""Corrections: what had to be put right, over weeks, and first of all what had to be put right again."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import GATE, PAGE, back, identity, known_did, own_teams
from whoknows.console.plot import plot
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of, writer_of
from whoknows.domain.bank import FactContext
from whoknows.domain.correction import CorrectionId
from whoknows.domain.ids import MemoryId
from whoknows.flows.corrections import Said
from whoknows.rest.parameters import CorrectionRef

router = APIRouter(prefix="/gate", route_class=Guarded)
Field = Annotated[str, Form()]

DONE = ("recorded", "overturned", "held", "removed")
SPANS = (4, 12, 26, 52)


@router.get("/corrections")
async def corrections(
    request: Request, weeks: int = 12, did: str | None = None, after: str | None = None, about: str | None = None
) -> Response:
    """``about``: the memory that was wrong, where one comes from its page."""
    door = closed_door(request, "gate", tab="corrections")
    if door is not None:
        return door
    caller, service, viewer = await reader_of(request), service_of(request), viewer_of(request)
    may_act = viewer.eyes is None
    page = await service.corrections.list(caller, viewer.project, PAGE, after)
    if is_part(request) and after is not None:
        return render(
            request, "gate/correction_cards.html", corrections=page.items, next_cursor=page.next_cursor, may_act=may_act
        )
    weeks = weeks if weeks in SPANS else SPANS[1]
    # Two periods are compared; the one before the end of now is all of them, and the other is empty.
    compared = await service.summarize_corrections(caller, weeks, datetime.now(UTC) + timedelta(seconds=1), viewer.project)
    return render(
        request,
        "gate/corrections.html",
        tab="corrections",
        period=compared.before,
        plot=plot(compared.before),
        weeks=weeks,
        spans=SPANS,
        corrections=page.items,
        next_cursor=page.next_cursor,
        teams=await own_teams(request, viewer) if may_act else [],
        about=str(identity(about)) if about else "",
        did=known_did(did, DONE),
        may_act=may_act,
    )


@router.post("/corrections")
async def record(
    request: Request,
    text: Field = "",
    subject: Field = "",
    team: Field = "",
    project: Field = "",
    about: Field = "",
    supersedes: Field = "",
) -> Response:
    """``supersedes``: what was wrong gives way to the new text, as far as the gate there lets it."""
    said = Said(
        text=text,
        context=FactContext.TEAM if team else FactContext.PERSONAL,
        project_id=project.strip() or None,
        team_id=team or None,
        about=MemoryId(identity(about.strip())) if about.strip() else None,
        supersedes=bool(supersedes and about.strip()),
        subject=subject.strip() or None,
        harness="console",
    )
    done = await service_of(request).corrections.record(writer_of(request), said)
    if done.outcome is None:
        return back(request, f"{GATE}/corrections", "recorded")
    return back(request, f"{GATE}/corrections", "held" if done.outcome.outcome == "held" else "overturned")


@router.post("/corrections/{correction_id}/remove")
async def remove(request: Request, correction_id: CorrectionRef) -> Response:
    await service_of(request).corrections.forget(writer_of(request), CorrectionId(correction_id))
    return back(request, f"{GATE}/corrections", "removed")
