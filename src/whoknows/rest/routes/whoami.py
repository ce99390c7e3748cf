"""Whoami: what a key may do."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.credential import Credential, Permission
from whoknows.domain.principal import Kind
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, service_of
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.records import Whoami
from whoknows.rest.strict import StrictRoute
from whoknows.service import Service

router = APIRouter(tags=["self"], route_class=StrictRoute)


@router.get("/whoami", response_model=Whoami, summary="What may this key do?", responses=problems())
async def whoami(request: Request) -> Response:
    """The tenant, whom the key acts as, its permissions, its task and its end."""
    credential = credential_of(request)
    return answer(
        {
            "tenant": credential.tenant,
            "acts_as": [p.space for p in credential.acts_as],
            "role": await _role(service_of(request), credential),
            "permissions": sorted(credential.permissions),
            "task_id": credential.task_id,
            "expires_at": credential.expires_at,
        }
    )


async def _role(service: Service, credential: Credential) -> str | None:
    if Permission.ADMIN in credential.permissions:
        return "admin"
    if len(credential.acts_as) != 1:
        return None
    (only,) = credential.acts_as
    if only.kind is Kind.MEMBER:
        return "member"
    return next((a.role for a in await service.administer.agents(credential) if a.principal == only), None)
