"""Members: people."""

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

router = APIRouter(prefix="/members", tags=["administration"], route_class=StrictRoute)


@router.get("", response_model=schema.MemberList, summary="List members", responses=problems())
async def list_members(request: Request) -> Response:
    """All of the tenant for an administrator; otherwise those the key acts as."""
    found = await service_of(request).administer.members(credential_of(request))
    return answers.listed([answers.member(m) for m in found])


@router.post("", status_code=201, response_model=schema.Member, summary="Make a member", responses=problems(409, body=True))
async def make_member(request: Request, body: schema.MemberIn) -> Response:
    """Needs `admin`."""
    made = await service_of(request).administer.make_member(credential_of(request), body.member_id, body.name)
    return answer(answers.member(made), 201)


@router.patch("/{name}", response_model=schema.Member, summary="Change a member", responses=problems(404, 409, body=True))
async def change_member(request: Request, name: NameRef, body: schema.MemberPatchIn) -> Response:
    """Needs `admin`; the gate of its account memory a member may also set itself."""
    named = frozenset(body.model_fields_set)
    gate = body.gate if "gate" in named else None
    changed = await service_of(request).administer.change_member(credential_of(request), name, named, body.name, gate)
    return answer(answers.member(changed))


@router.delete("/{name}", response_model=Deleted, summary="Delete a member", responses=problems(404, 409))
async def delete_member(request: Request, name: NameRef) -> Response:
    """Its keys die at once, its private memories after a grace period; its name is never given out again."""
    await service_of(request).administer.remove_member(credential_of(request), name)
    return answers.deleted()
