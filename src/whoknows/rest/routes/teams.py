"""Teams, and who is on them."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, service_of
from whoknows.rest.parameters import NameRef, PrincipalRef
from whoknows.rest.schemas import directory as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/teams", tags=["administration"], route_class=StrictRoute)


@router.get("", response_model=schema.TeamList, summary="List teams", responses=problems())
async def list_teams(request: Request) -> Response:
    """All of the tenant for an administrator; otherwise those the key's principals are on, and everyone's (`*`)."""
    found = await service_of(request).administer.teams(credential_of(request))
    return answers.listed([answers.team(t) for t in found])


@router.post("", status_code=201, response_model=schema.Team, summary="Make a team", responses=problems(409, body=True))
async def make_team(request: Request, body: schema.TeamIn) -> Response:
    """Needs `admin`."""
    made = await service_of(request).administer.make_team(
        credential_of(request), body.team_id, body.name, body.gate, body.share_with_subagents
    )
    return answer(answers.team(made), 201)


@router.patch("/{name}", response_model=schema.Team, summary="Change a team", responses=problems(404, 409, body=True))
async def change_team(request: Request, name: NameRef, body: schema.TeamPatchIn) -> Response:
    """Needs `admin`."""
    named = body.model_fields_set
    changed = await service_of(request).administer.change_team(
        credential_of(request),
        name,
        body.name if "name" in named else None,
        body.gate if "gate" in named else None,
        body.share_with_subagents if "share_with_subagents" in named else None,
    )
    return answer(answers.team(changed))


@router.delete("/{name}", response_model=Deleted, summary="Delete a team", responses=problems(404, 409))
async def delete_team(request: Request, name: NameRef) -> Response:
    """Nobody is on it any more; its name is never given out again."""
    await service_of(request).administer.remove_team(credential_of(request), name)
    return answers.deleted()


@router.put(
    "/{name}/members/{principal}",
    response_model=schema.Team,
    summary="Put somebody on a team",
    responses=problems(404, 409, body=True),
)
async def put_team_member(request: Request, name: NameRef, principal: PrincipalRef, body: schema.MembershipIn) -> Response:
    """As `reader`, `writer` or `owner`. Who is on it already gets the new role."""
    changed = await service_of(request).administer.put_membership(credential_of(request), name, principal, body.role)
    return answer(answers.team(changed))


@router.delete(
    "/{name}/members/{principal}",
    response_model=Deleted,
    summary="Take somebody off a team",
    responses=problems(404, 409),
)
async def drop_team_member(request: Request, name: NameRef, principal: PrincipalRef) -> Response:
    """The next request of the one concerned finds nothing of the team any more."""
    await service_of(request).administer.drop_membership(credential_of(request), name, principal)
    return answers.deleted()
