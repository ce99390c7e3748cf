"""Publications: copy a private memory to a team, take the copy back, bring it up to date."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.publication import PublicationState
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, Cursor, Limit, MemoryRef, PublicationRef
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.publications import Publication, PublicationPage, PublishIn
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["publishing"], route_class=StrictRoute)
_MORE = {
    200: {"model": Publication, "description": "It was published there before: the same copy."},
    202: {"model": Publication, "description": "The gate of the team holds it for a reviewer."},
}


@router.post(
    "/memories/{memory_id}/publish",
    status_code=201,
    response_model=Publication,
    summary="Publish a private memory",
    responses={**problems(404, 409, body=True), **_MORE},
)
async def publish_memory(request: Request, memory_id: MemoryRef, body: PublishIn, agent_id: AsAgent = None) -> Response:
    """Copies it to a team, or to the board (`*`), through the gate there. By its author only; the original stays private.

    201 the first time, 200 with the same copy afterwards, however many ask at once; 409 `publication_pending` with Retry-After
    while another request makes the copy; 409 `publication_withdrawn` where it was taken back: republish it then.
    """
    done = await service_of(request).publish(writer(request, agent_id), MemoryId(memory_id), body.team_id)
    return answers.published(done)


@router.get("/publications", response_model=PublicationPage, summary="List publications", responses=problems())
async def list_publications(request: Request, limit: Limit = 50, cursor: Cursor = None, agent_id: AsAgent = None) -> Response:
    """What the caller published, newest first, withdrawn ones too."""
    page = await service_of(request).publications.list(await reader(request, agent_id), limit, cursor)
    return answers.listed([answers.publication(p) for p in page.items], page.next_cursor)


@router.get("/publications/{publication_id}", response_model=Publication, summary="Get a publication", responses=problems(404))
async def get_publication(request: Request, publication_id: PublicationRef, agent_id: AsAgent = None) -> Response:
    """One of the caller's own, whatever became of the copy. `origin_changed` tells whether the original changed since."""
    found = await service_of(request).publications.get(await reader(request, agent_id), PublicationId(publication_id))
    return answer(answers.publication(found))


@router.post(
    "/publications/{publication_id}/withdraw",
    response_model=Publication,
    summary="Take a published copy back",
    responses=problems(404, 409),
)
async def withdraw_publication(request: Request, publication_id: PublicationRef, agent_id: AsAgent = None) -> Response:
    """Its readers lose the copy with their next request, and on open event streams. Doing it twice changes nothing."""
    done = await service_of(request).publications.withdraw(writer(request, agent_id), PublicationId(publication_id))
    return answer(answers.publication(done))


@router.post(
    "/publications/{publication_id}/republish",
    response_model=Publication,
    summary="Publish again",
    responses={**problems(404, 409), 202: _MORE[202]},
)
async def republish_publication(request: Request, publication_id: PublicationRef, agent_id: AsAgent = None) -> Response:
    """The copy shows the original as it is now, as a new version of the same memory; a withdrawn one is back.

    Doing it twice changes nothing.
    """
    done = await service_of(request).publications.republish(writer(request, agent_id), PublicationId(publication_id))
    return answer(answers.publication(done), 202 if done.state is PublicationState.HELD else 200)
