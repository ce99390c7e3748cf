"""Records: the caller's pending work, and the audit trail."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, reader, service_of
from whoknows.rest.parameters import AsAgent, Cursor, Limit
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.records import AuditPage, Pending
from whoknows.rest.strict import StrictRoute

router = APIRouter(route_class=StrictRoute)


@router.get("/jobs/pending", response_model=Pending, tags=["memory"], summary="What still waits?", responses=problems())
async def jobs_pending(request: Request, agent_id: AsAgent = None) -> Response:
    """How many of the caller's own writes wait for their vectors. They are found by their words meanwhile."""
    service, caller = service_of(request), await reader(request, agent_id)
    return answer(
        {"embedding": await service.oversee.pending(caller), "egress_forbidden": await service.egress.kept_back(caller)}
    )


@router.get("/audit", response_model=AuditPage, tags=["administration"], summary="Who did what", responses=problems())
async def audit(
    request: Request,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Newest first: all of the tenant with the permission `audit`, otherwise what concerns the caller."""
    page = await service_of(request).oversee.audit(credential_of(request), limit, cursor)
    return answers.listed([answers.audited(row) for row in page.items], page.next_cursor)
