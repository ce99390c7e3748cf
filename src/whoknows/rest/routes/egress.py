"""Egress: what may leave this machine, bank by bank, and what did."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.egress import EgressChoice
from whoknows.rest import egress_answers as answers
from whoknows.rest.answers import answer, listed
from whoknows.rest.auth import credential_of, reader, service_of
from whoknows.rest.parameters import AsAgent, PrincipalRef
from whoknows.rest.schemas.egress import EgressIn, EgressList, EgressRule
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/egress", tags=["administration"], route_class=StrictRoute)


@router.get("", response_model=EgressList, summary="What may leave?", responses=problems())
async def list_egress(request: Request, agent_id: AsAgent = None) -> Response:
    """For each bank that the caller sees (its own, its account's, its teams'): the services that texts of it are sent to, or
    would be, what kind of text, redacted how, whether the bank allows it, how often it happened, and when last.

    Counts are of what the caller itself may see. A service on this machine's loopback is listed with `stays_here`.
    """
    service = service_of(request)
    banks = await service.egress.list(await reader(request, agent_id))
    return listed([answers.bank(b, service.egress.endpoints, service.limits.redaction.hosts) for b in banks])


@router.put("/{principal}", response_model=EgressRule, summary="Forbid or allow", responses=problems(404, 409, body=True))
async def set_egress(request: Request, principal: PrincipalRef, body: EgressIn) -> Response:
    """Whether texts of this bank (`agent:x`, `member:m`, `team:t` or `*`) may leave this machine.

    By the bank itself, by an owner of the team, or with `admin`. Who forbade must allow it again: what an administrator forbade
    the owner cannot allow, and the other way round. What was sent before is not called back.
    """
    forbidden = body.egress is EgressChoice.FORBIDDEN
    return answer(answers.rule(await service_of(request).egress.forbid(credential_of(request), principal, forbidden)))
