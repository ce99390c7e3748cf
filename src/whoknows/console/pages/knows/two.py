"""One question, asked as two readers: where each searched, what each got, and what it did not get and why."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console import reasons
from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.knows.room import caller_as
from whoknows.console.render import render
from whoknows.console.trace_picture import Picture, picture
from whoknows.console.viewer import Viewer, is_part, service_of, viewer_of
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.trace import Verdict
from whoknows.errors import Invalid
from whoknows.flows.recall import Question, Recollection

router = APIRouter(route_class=Guarded)


@dataclass(frozen=True, slots=True)
class Missed:
    """What the other got. ``verdict``: None where the other is not told of this reader. ``score``: where it stayed out here."""

    memory: Memory
    verdict: Verdict | None
    score: float | None
    why: str | None


@dataclass(frozen=True, slots=True)
class Side:
    space: str
    got: Recollection
    missed: Sequence[Missed]
    picture: Picture


@router.get("/knows/two")
async def form(request: Request) -> Response:
    """Whom one may ask as: oneself, and with ``inspect`` the others."""
    door = closed_door(request, "knows", page="/knows/two")
    return door or _page(request, "", "", "", None)


@router.post("/knows/two")
async def ask(
    request: Request,
    question: Annotated[str, Form()] = "",
    left: Annotated[str, Form()] = "",
    right: Annotated[str, Form()] = "",
    project: Annotated[str, Form()] = "",
) -> Response:
    """Each look with the eyes of another is in the audit trail."""
    if left == right:
        raise Invalid("choose two different readers", field="right")
    callers = [await caller_as(request, left), await caller_as(request, right)]
    recall = service_of(request).recall
    asked = Question(question, filters=Filters(project_id=project or None, or_global=bool(project)))
    got = await asyncio.gather(*(recall(caller, asked) for caller in callers))
    sides = [
        await _side(request, callers[0], got[0], callers[1], got[1]),
        await _side(request, callers[1], got[1], callers[0], got[0]),
    ]
    return _page(request, question, left, right, sides)


async def _side(request: Request, own: Caller, got: Recollection, other: Caller, theirs: Recollection) -> Side:
    """``own`` beside ``other``: what only the other got, told as the other sees it."""
    mine = {a.memory.id for a in got.memories}
    only = [a.memory for a in theirs.memories if a.memory.id not in mine]
    verdicts: Mapping[MemoryId, Verdict] = {}
    if only and own.principal is not None:
        verdicts = await service_of(request).explain.why_each(other, [m.id for m in only], own.principal)
    dropped = {d["id"]: d for d in got.trace.body.get("dropped", ())}

    def missed(memory: Memory) -> Missed:
        here = dropped.get(str(memory.id), {})
        return Missed(memory, verdicts.get(memory.id), here.get("score"), here.get("why"))

    drawn = picture(got.trace, {a.memory.id: a.memory for a in got.memories})
    return Side(got.trace.reader, got, [missed(m) for m in only], drawn)


def _page(request: Request, question: str, left: str, right: str, sides: Sequence[Side] | None) -> Response:
    viewer = viewer_of(request)
    page = "knows/sides.html" if sides and is_part(request) else "knows/two.html"
    people = _people(viewer)
    return render(
        request, page, question=question, people=people, left=left or (viewer.acting or ""),
        right=right or next((s for s in people if s != viewer.acting), ""), sides=sides, reasons=reasons,
    )  # fmt: skip


def _people(viewer: Viewer) -> list[str]:
    others = sorted(s for s in viewer.looks if not s.startswith("team:") and s != "*" and s not in viewer.spaces)
    return [*viewer.spaces, *(others if viewer.may("inspect") else ())]
