"""Keys and tenants: who gets in."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.ids import CredentialId
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, service_of
from whoknows.rest.parameters import KeyRef
from whoknows.rest.schemas import directory as schema
from whoknows.rest.schemas.forms import end
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["administration"], route_class=StrictRoute)


@router.post(
    "/keys",
    status_code=201,
    response_model=schema.NewKey,
    summary="Make a key",
    responses=problems(404, 409, body=True),
)
async def make_key(request: Request, body: schema.KeyIn) -> Response:
    """The secret is shown this once. `admin` makes the first key of a principal, later ones need `impersonate`."""
    made = await service_of(request).keys.make(
        credential_of(request), body.acts_as, body.granted(), body.task_id, end(body.expires_at, body.expires_in)
    )
    return answer({"id": made.id, "key": made.secret}, 201)


@router.get("/keys", response_model=schema.KeyList, summary="List keys", responses=problems())
async def list_keys(request: Request) -> Response:
    """Those an administrator may revoke; otherwise one's own and those it made. Never their secrets."""
    found = await service_of(request).keys.list(credential_of(request))
    return answers.listed([answers.key(c) for c in found])


@router.delete("/keys/{key_id}", response_model=Deleted, summary="Revoke a key", responses=problems(404))
async def revoke_key(request: Request, key_id: KeyRef) -> Response:
    """At once: open streams of it end."""
    await service_of(request).keys.revoke(credential_of(request), CredentialId(key_id))
    return answers.deleted()


@router.post(
    "/tenants",
    status_code=201,
    response_model=schema.NewTenant,
    summary="Found a tenant",
    responses=problems(409, body=True),
)
async def create_tenant(request: Request, body: schema.TenantIn) -> Response:
    """Needs `create_tenants`. Answers the key of the tenant's administrator, shown this once."""
    made = await service_of(request).keys.create_tenant(credential_of(request), body.tenant_id)
    return answer({"tenant_id": body.tenant_id, "id": made.id, "key": made.secret}, 201)
