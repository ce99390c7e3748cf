"""The memory page: the project's and the general memories side by side, narrowed or asked."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.guard import Guarded
from whoknows.console.pages.memory.wish import STATES, Wish, Wished
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of
from whoknows.domain.credential import Caller
from whoknows.domain.memory import Category, Filters
from whoknows.errors import Invalid
from whoknows.flows.browse import Kept
from whoknows.flows.recall import Question, Recollection
from whoknows.policy.whose import Whose
from whoknows.ports import Page

PAGE = 25
"""Memories of one shelf at a time: two shelves make fifty."""
HITS = 20
router = APIRouter(route_class=Guarded)


@dataclass(frozen=True, slots=True)
class Shelf:
    """``name``: ``project`` or ``general``."""

    name: str
    page: Page[Kept]


@dataclass(frozen=True, slots=True)
class Found:
    """What answers a question, best first, with how well."""

    answer: Recollection
    kept: tuple[tuple[Kept, float], ...]


@router.get("/memory")
async def page(request: Request) -> Response:
    return await _page(request, Wish())


@router.post("/memory")
async def narrowed(request: Request, wish: Wished) -> Response:
    """By POST, so that no question stands in an address or the history."""
    if not is_part(request):
        return await _page(request, wish)
    return render(request, "memory/shelves.html", **await contents(request, await reader_of(request), wish))


@router.post("/memory/more")
async def more(request: Request, wish: Wished, shelf: Annotated[str, Form()], cursor: Annotated[str, Form()]) -> Response:
    """What follows on a shelf: below what is there, or as a page of its own."""
    named = dict(_shelves(viewer_of(request).project, wish))
    if shelf not in named:
        raise Invalid("there is no such shelf", field="shelf")
    caller = await reader_of(request)
    (page,) = await service_of(request).browse.shelves(caller, [named[shelf]], wish.whose, PAGE, cursor)
    found = Shelf(shelf, page)
    if is_part(request):
        return render(request, "memory/more.html", wish=wish, shelf=found)
    return render(request, "memory/page.html", **await _around(request, caller), wish=wish, found=None, shelves=[found])


async def _page(request: Request, wish: Wish) -> Response:
    door = closed_door(request, "memory")
    if door is not None:
        return door
    caller = await reader_of(request)
    return render(request, "memory/page.html", **await _around(request, caller), **await contents(request, caller, wish))


async def _around(request: Request, caller: Caller) -> dict[str, Any]:
    """What the row of filters offers."""
    projects = await service_of(request).projects.known(caller)
    return {"projects": projects, "kinds": list(Category), "states": STATES, "whose": list(Whose)}


async def contents(request: Request, caller: Caller, wish: Wish) -> dict[str, Any]:
    """Either the shelves, or what was found."""
    if wish.text:
        return {"wish": wish, "found": await _found(request, caller, wish), "shelves": ()}
    return {"wish": wish, "found": None, "shelves": await _on_shelves(request, caller, wish)}


async def _on_shelves(request: Request, caller: Caller, wish: Wish) -> list[Shelf]:
    named = _shelves(viewer_of(request).project, wish)
    pages = await service_of(request).browse.shelves(caller, [f for _, f in named], wish.whose, PAGE)
    return [Shelf(name, page) for (name, _), page in zip(named, pages, strict=True)]


async def _found(request: Request, caller: Caller, wish: Wish) -> Found:
    service, project = service_of(request), viewer_of(request).project
    filters = replace(wish.filters(), state=None, project_id=project, or_global=project is not None)
    answer = await service.recall(caller, Question(wish.text, HITS, filters=filters, whose=wish.whose))
    scores = {a.memory.id: a.hit.score for a in answer.memories}
    kept = await service.browse.these(caller, [a.memory for a in answer.memories])
    return Found(answer, tuple((k, scores[k.memory.id]) for k in kept))


def _shelves(project: str | None, wish: Wish) -> list[tuple[str, Filters]]:
    filters = wish.filters()
    general = ("general", replace(filters, general=True))
    return [general] if project is None else [("project", replace(filters, project_id=project)), general]
