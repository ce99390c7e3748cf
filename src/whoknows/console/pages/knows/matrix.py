"""The matrix of readers and memories: as long as it is, a stretch of it at a time."""

import hashlib
from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.knows.room import Narrowed, mark, narrowed
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of
from whoknows.domain.audience import Layer
from whoknows.domain.memory import Category, State
from whoknows.domain.principal import Principal

router = APIRouter(route_class=Guarded)

ROWS = 50
"""Of one stretch."""
COLUMNS = 50
"""Readers that are shown at once; a page leads to the next."""
_FARTHEST = 100_000_000


@router.get("/knows")
async def matrix(request: Request) -> Response:
    """Newest first, of the project that the session is about."""
    return await _whole(request, Narrowed(project=viewer_of(request).project or ""), None)


@router.post("/knows")
async def narrow(
    request: Request, view: Annotated[Narrowed, Depends(narrowed)], before: Annotated[UUID | None, Form()] = None
) -> Response:
    """The same of a choice; ``before`` is where a browser without scripts goes on."""
    return await _whole(request, view, before)


@router.post("/knows/rows")
async def rows(
    request: Request,
    view: Annotated[Narrowed, Depends(narrowed)],
    columns: Annotated[str, Form()],
    place: Annotated[int, Form(ge=0, le=_FARTHEST)],
    before: Annotated[UUID | None, Form()] = None,
    until: Annotated[UUID | None, Form()] = None,
) -> Response:
    """The rows behind ``before`` as far as ``until``, which is the last; ``place`` is that of the first, counted from 0."""
    found = await service_of(request).survey.stretch(
        await reader_of(request), view.filters, ROWS, None if before is None else str(before), _columns(view)
    )
    if fingerprint(found.readers) != columns:
        other = {"HX-Retarget": "#changed", "HX-Reswap": "innerHTML"}
        return render(request, "knows/changed.html", headers=other)
    # What was deleted since leaves a gap, and nothing that belongs to the next stretch moves up into this one.
    within = [r for r in found.rows if until is None or r.memory.id >= until]
    return render(request, "knows/rows.html", rows=within, place=place, mark=mark)


def fingerprint(readers: Sequence[Principal]) -> str:
    """Changes when a column does: rows are only added below the heads that they belong to."""
    return hashlib.sha256("\n".join(str(r.id) for r in readers).encode()).hexdigest()[:16]


async def _whole(request: Request, view: Narrowed, before: UUID | None) -> Response:
    door = closed_door(request, "knows", page="/knows")
    if door is not None:
        return door
    reader, survey = await reader_of(request), service_of(request).survey
    outline = await survey.outline(reader, view.filters, ROWS)
    found = await survey.stretch(reader, view.filters, ROWS, None if before is None else str(before), _columns(view))
    return render(
        request,
        "knows/grid.html" if is_part(request) else "knows/matrix.html",
        view=view,
        outline=outline,
        readers=found.readers[_columns(view)],
        all_readers=len(found.readers),
        fingerprint=fingerprint(found.readers),
        rows=found.rows,
        next_cursor=found.next_cursor,
        before=before,
        place=0,
        step=COLUMNS,
        size=ROWS,
        mark=mark,
        choices={"kind": list(Category), "layer": list(Layer), "state": list(State)},
        inspects=viewer_of(request).may("inspect"),
    )


def _columns(view: Narrowed) -> slice:
    return slice(view.first, view.first + COLUMNS)
