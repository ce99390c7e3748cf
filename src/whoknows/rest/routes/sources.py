"""Sources: repositories and folders whose documents are indexed, and stay where they are."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.source import SourceId
from whoknows.flows.authenticate import administer_as
from whoknows.flows.keep_sources import NewSource
from whoknows.rest import answers, source_answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, reader, service_of, writer
from whoknows.rest.parameters import AsAgent, SourceRef
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.sources import Source, SourceIn, SourceList, Synced
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/sources", tags=["sources"], route_class=StrictRoute)


@router.post("", status_code=201, response_model=Source, summary="Register a source", responses=problems(404, 409, body=True))
async def register_source(request: Request, body: SourceIn, agent_id: AsAgent = None) -> Response:
    """By an administrator, an owner of the team, or the member whose account memory it becomes. Synchronise it to read it.

    What is not there and what may not be read answer alike: 422 `source_unreadable`.
    """
    new = NewSource(body.kind, body.locator, body.name, body.audience)
    made = await service_of(request).keep_sources.register(_keeper(request, agent_id), new)
    return answer(source_answers.source(made), 201)


@router.get("", response_model=SourceList, summary="List sources", responses=problems())
async def list_sources(request: Request, agent_id: AsAgent = None) -> Response:
    """Those whose documents the caller reads; administrators see those of all teams."""
    caller = await reader(request, agent_id) if "x-seen-as" in request.headers else _keeper(request, agent_id)
    found = await service_of(request).keep_sources.list(caller)
    return answers.listed([source_answers.source(s) for s in found])


@router.post("/{source_id}/sync", response_model=Synced, summary="Synchronise a source", responses=problems(404, 409))
async def sync_source(request: Request, source_id: SourceRef, agent_id: AsAgent = None) -> Response:
    """Brings the index to what the documents say now, and answers when that is done. Doing it again changes nothing.

    409 `sync_running` while another one is under way. What was interrupted is taken up by the next one.
    """
    done = await service_of(request).index_source(_keeper(request, agent_id), SourceId(source_id))
    return answer(source_answers.synced(done))


@router.delete("/{source_id}", response_model=Deleted, summary="Remove a source", responses=problems(404, 409))
async def remove_source(request: Request, source_id: SourceRef, agent_id: AsAgent = None) -> Response:
    """Its documents leave the index, and nothing of them stays there; answers how many memories went. Git is untouched."""
    gone = await service_of(request).keep_sources.remove(_keeper(request, agent_id), SourceId(source_id))
    return answers.deleted(gone)


def _keeper(request: Request, agent_id: str | None) -> Caller:
    """Who acts; an administrator's key need not act as anybody."""
    credential = credential_of(request)
    speaks = agent_id is not None or "x-agent" in request.headers or len(credential.acts_as) == 1
    if not speaks and Permission.ADMIN in credential.permissions:
        return administer_as(credential)
    return writer(request, agent_id)
