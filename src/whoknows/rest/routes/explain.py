"""Explain: why somebody sees a memory, and who knows what."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from whoknows.domain.audience import Layer
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import State
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader as reading
from whoknows.rest.auth import service_of
from whoknows.rest.parameters import AsAgent, Cursor, MemoryRef, Narrowed
from whoknows.rest.schemas.explain import Knows, Why
from whoknows.rest.schemas.forms import Label
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["explain"], route_class=StrictRoute)


@router.get("/memories/{memory_id}/why", response_model=Why, summary="Why does somebody see it?", responses=problems(404))
async def why(
    request: Request,
    memory_id: MemoryRef,
    reader: Annotated[Label | None, Query(description="`agent:x` or `member:m`; oneself where left out.")] = None,
    agent_id: AsAgent = None,
) -> Response:
    """For those who may see the memory. The verdict, the rule that gives it, and the facts it rests on."""
    found = await service_of(request).explain.why(await reading(request, agent_id), MemoryId(memory_id), reader)
    return answer(answers.verdict(found))


@router.get("/knows", response_model=Knows, summary="Who knows what?", responses=problems(404))
async def knows(
    request: Request,
    narrowed: Narrowed,
    layer: Annotated[Layer | None, Query(description="Only of this layer.")] = None,
    state: Annotated[State | None, Query(description="In this state instead of `active`.")] = None,
    limit: Annotated[int, Field(ge=1, le=100), Query(description="Memories of a page.")] = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """The matrix: readers × memories that the caller may see, each cell with its reason."""
    filters = replace(narrowed, layer=None if layer is None else str(layer), state=state)
    found = await service_of(request).explain.knows(await reading(request, agent_id), filters, limit, cursor)
    return answer(answers.matrix(found))
