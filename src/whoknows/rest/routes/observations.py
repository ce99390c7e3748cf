"""Observations: what several memories say, stated once, and whether it still stands."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import State
from whoknows.domain.observation import Quote
from whoknows.flows.observe import Asked
from whoknows.ports.observations import Put
from whoknows.rest import answers, observation_answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, Cursor, Limit, MemoryRef, Project, TeamName, etag
from whoknows.rest.schemas.observations import Consolidated, ConsolidateIn, Observation, ObservationPage, Observed, ObserveIn
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/observations", tags=["observations"], route_class=StrictRoute)
Stale = Annotated[bool | None, Query(description="Only those of which a memory has changed since, or only the others.")]


@router.get("", response_model=ObservationPage, summary="List observations", responses=problems(404))
async def list_observations(
    request: Request,
    project_id: Project = None,
    team_id: TeamName = None,
    stale: Stale = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """Those that the caller may see, newest first, with a quote of each memory that they rest on."""
    caller = await reader(request, agent_id)
    page = await service_of(request).observe.list(caller, project_id, team_id, stale, limit, cursor)
    return answers.listed([observation_answers.observation(o) for o in page.items], page.next_cursor)


@router.get("/{memory_id}", response_model=Observation, summary="Get an observation", responses=problems(404))
async def get_observation(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """What it rests on, and what became of each memory since."""
    found = await service_of(request).observe.get(await reader(request, agent_id), MemoryId(memory_id))
    return answer(observation_answers.observation(found), headers=etag(found.memory.version))


@router.post(
    "",
    status_code=201,
    response_model=Observed,
    summary="Make an observation",
    responses={
        **problems(404, 409, body=True),
        200: {"model": Observed, "description": "It was there already."},
        202: {"model": Observed, "description": "The gate holds it for a reviewer."},
    },
)
async def make_observation(request: Request, body: ObserveIn, agent_id: AsAgent = None) -> Response:
    """States once what the listed memories say. Words of one's own need quotes: 422 `quote_not_found` names what is missing.

    It is read by those who read the memories. When one of them changes it is stale, when one is deleted it goes, and is made
    anew from the others where at least two are left. Repeating the call makes one observation.
    """
    quotes = [Quote(MemoryId(q.memory_id), q.quote, q.sentence) for q in body.quotes]
    asked = Asked([MemoryId(m) for m in body.memory_ids], body.text, quotes)
    told = await service_of(request).observe.make(writer(request, agent_id), asked)
    held = told.observation.memory.state is State.HELD
    return answer(observation_answers.observed(told), 200 if told.outcome is Put.TAKEN else 202 if held else 201)


@router.post(
    "/consolidate",
    response_model=Consolidated,
    summary="State what says the same",
    responses=problems(404, body=True),
)
async def consolidate(request: Request, body: ConsolidateIn, agent_id: AsAgent = None) -> Response:
    """Looks for memories of one audience and project that say almost the same, and states each such group once.

    Never where numbers, names or a negation differ. A second call adds nothing. Where a language model is set and the bank lets
    its texts go there, it may find the words; a statement whose quotes are not all found is dropped for a memory's own words.
    """
    cursor = None if body.cursor is None else str(body.cursor)
    done = await service_of(request).consolidate(writer(request, agent_id), body.project_id, body.team_id, cursor)
    return answer(observation_answers.consolidated(done))


@router.post(
    "/{memory_id}/recompute",
    response_model=Observed,
    summary="Compute an observation anew",
    responses=problems(404, 409),
)
async def recompute_observation(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """From what its memories are now: a new version in place. `archived` where fewer than two are left.

    The server does it by itself as well, within a minute of the change.
    """
    told = await service_of(request).observe.recompute(writer(request, agent_id), MemoryId(memory_id))
    return answer(observation_answers.observed(told))
