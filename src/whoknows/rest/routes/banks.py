"""Banks: a fact goes into one, a project is routed to one, and which ones the caller has."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.credential import Permission
from whoknows.flows.authenticate import administer_as
from whoknows.rest import answers, bank_answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, reader, service_of, where_of, writer
from whoknows.rest.parameters import AsAgent, ProjectRef, Repeatable
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas import banks as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Captured
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["governed facts"], route_class=StrictRoute)
_HELD = "It waits for somebody who may decide."


@router.post(
    "/ingest",
    status_code=201,
    response_model=Captured,
    summary="Take in a fact with its source",
    responses={**problems(404, 409, body=True), 202: {"model": Captured, "description": _HELD}},
)
async def ingest(request: Request, body: schema.IngestIn, idempotency_key: Repeatable = None) -> Response:
    """Where it goes follows from its project, never from the caller; what its gate asks for holds besides.

    The quote must stand in the source, or nothing is kept: 422 `quote_not_found`. Otherwise as `POST /capture`.
    """
    caller = writer(request, body.agent_id)
    once = await repeatable("ingest", idempotency_key, request)
    outcome = await service_of(request).ingest(caller, body.fact(where_of(request, body.directory)), once)
    return answer(answers.outcome(outcome), 202 if outcome.outcome == "held" else 201)


@router.get("/banks", response_model=schema.BankList, summary="Which banks have I?", responses=problems())
async def list_banks(request: Request, agent_id: AsAgent = None) -> Response:
    """Your own first, then your teams': whether you write there, through which gate, and which projects are routed there."""
    found = await service_of(request).banks.all(await reader(request, agent_id))
    return answers.listed([bank_answers.bank(b) for b in found])


@router.get(
    "/projects/{projectId}/bank", response_model=schema.Routing, summary="Where does a project go?", responses=problems()
)
async def get_routing(request: Request, project_id: ProjectRef, agent_id: AsAgent = None) -> Response:
    """An administrator sees all; others what goes to a team that they read. Everything else looks like a new project."""
    administers = Permission.ADMIN in request.state.credential.permissions and "x-seen-as" not in request.headers
    caller = administer_as(credential_of(request)) if administers else await reader(request, agent_id)
    return answer(bank_answers.routing(await service_of(request).banks.routing(caller, project_id)))


@router.put(
    "/projects/{projectId}/bank",
    response_model=schema.Routing,
    summary="Route a project",
    responses=problems(404, 409, body=True),
)
async def put_routing(request: Request, project_id: ProjectRef, body: schema.RoutingIn) -> Response:
    """Needs `admin`. From now on the facts of the project go to that team; what was written before stays where it is."""
    routed = await service_of(request).banks.route(credential_of(request), project_id, body.team_id, body.git_remotes)
    return answer(bank_answers.routing(routed))
