"""Programs: where one's coding agents work, how far each project is connected, and what that brought."""

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.fields import one_of
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import back, known_did
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of, writer_of
from whoknows.domain.credential import Caller
from whoknows.domain.harness import HookEvent, Outcome, Program, Stage
from whoknows.errors import Invalid
from whoknows.flows.stages import StageNow
from whoknows.harness import wording

router = APIRouter(prefix="/programs", route_class=Guarded)
Field = Annotated[str, Form()]

PROGRAMS = f"{CONSOLE}/programs"
DONE = ("stage", "redacted", "unregistered")
SPANS = (1, 4, 12)
TURNS = 25
"""Of one page."""
_ORDER = tuple(Stage)


@router.get("")
async def programs(request: Request, did: str | None = None, weeks: int = SPANS[1], after: str | None = None) -> Response:
    """Of the project that the session is about, else of the first one that is connected: names stand in no address."""
    door = closed_door(request, "programs")
    if door is not None:
        return door
    caller, service, viewer = await reader_of(request), service_of(request), viewer_of(request)
    connections = await service.connected(caller)
    first = next((p.project_id for p in connections.projects), None)
    project = viewer.project or first
    given: dict[str, Any] = {
        "owner": connections.owner,
        "projects": connections.projects,
        "project": project,
        "may_act": viewer.eyes is None,
        "did": known_did(did, DONE),
        "wording": wording,
    }
    if project is None or connections.owner is None:
        return render(request, "programs/page.html", **given)
    turns = await service.recount(caller, project, TURNS, after)
    if is_part(request) and after is not None:
        return render(request, "programs/turn_rows.html", turns=turns, wording=wording)
    of_project = await _of_project(request, caller, project, weeks if weeks in SPANS else SPANS[1])
    return render(request, "programs/page.html", turns=turns, is_first=after is None, **given, **of_project)


@router.post("/stage")
async def step(request: Request, project: Field = "", stage: Field = "", seen: Field = "", reason: Field = "") -> Response:
    """``seen``: the stage that the form was made from."""
    wanted = one_of(Stage, stage, "stage")
    if wanted is None:
        raise Invalid("say to which stage", field="stage")
    told = reason.strip() or None
    now = await service_of(request).stages.set(writer_of(request), project, wanted, told, one_of(Stage, seen, "seen"))
    return back(request, PROGRAMS, "redacted" if now.findings else "stage")


@router.post("/unregister")
async def unregister(request: Request, program: Field = "", machine: Field = "", directory: Field = "") -> Response:
    meant = one_of(Program, program, "program")
    if meant is None:
        raise Invalid("say which program", field="program")
    await service_of(request).workplaces.unregister(writer_of(request), meant, machine, directory)
    return back(request, PROGRAMS, "unregistered")


async def _of_project(request: Request, caller: Caller, project: str, weeks: int) -> dict[str, Any]:
    service = service_of(request)
    now = await service.stages.now(caller, project)
    begin = datetime.now(UTC) - timedelta(weeks=weeks)
    return {
        "now": now,
        "stages": _ORDER,
        "earlier": _ORDER[: _ORDER.index(now.stage)][::-1],
        "blocked": _is_blocked(now),
        "undo": _way_back(now),
        "places": [w for w in await service.workplaces.all(caller) if w.project_id == project],
        "report": await service.report_harness(caller, project, begin),
        "weeks": weeks,
        "spans": SPANS,
        "outcomes": tuple(Outcome),
        "prompt": HookEvent.PROMPT,
    }


def _is_blocked(now: StageNow) -> bool:
    """Whether a condition of the next stage is not met."""
    return any(n.blocks and not n.met for n in now.needs)


def _way_back(now: StageNow) -> Stage | None:
    """The stage before the newest change, where one step leads there."""
    if not now.history:
        return None
    before = now.history[0].before
    if _ORDER.index(before) < _ORDER.index(now.stage):
        return before
    return before if before is now.following and not _is_blocked(now) else None
