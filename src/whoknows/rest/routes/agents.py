"""Agents: who they are, and what they may read at most."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, service_of
from whoknows.rest.parameters import NameRef
from whoknows.rest.schemas import directory as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/agents", tags=["administration"], route_class=StrictRoute)


@router.get("", response_model=schema.AgentList, summary="List agents", responses=problems())
async def list_agents(request: Request) -> Response:
    """All of the tenant for an administrator; otherwise those the key acts as, and their descendants."""
    found = await service_of(request).administer.agents(credential_of(request))
    return answers.listed([answers.agent(a) for a in found])


@router.post(
    "",
    status_code=201,
    response_model=schema.Agent,
    summary="Make an agent",
    responses=problems(404, 409, body=True),
)
async def make_agent(request: Request, body: schema.AgentIn) -> Response:
    """Needs `admin`; with `account` also `impersonate`, or the member's own key."""
    made = await service_of(request).administer.make_agent(credential_of(request), body.new())
    return answer(answers.agent(made), 201)


@router.patch("/{name}", response_model=schema.Agent, summary="Change an agent", responses=problems(404, 409, body=True))
async def change_agent(request: Request, name: NameRef, body: schema.AgentPatchIn) -> Response:
    """Needs `admin`; for `account` also `impersonate`, or the member's own key."""
    changed = await service_of(request).administer.change_agent(credential_of(request), name, body.patch())
    return answer(answers.agent(changed))


@router.delete("/{name}", response_model=Deleted, summary="Delete an agent", responses=problems(404, 409))
async def delete_agent(request: Request, name: NameRef) -> Response:
    """Its keys die at once, its private memories after a grace period; its name is never given out again."""
    await service_of(request).administer.remove_agent(credential_of(request), name)
    return answers.deleted()
