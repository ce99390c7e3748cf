"""Proposals: experiences that would be a rule, and what a person decides about them."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from whoknows.domain.proposal import ProposalId, ProposalState
from whoknows.flows.propose import To
from whoknows.rest import answers, proposal_answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, ProposalRef
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.proposals import ConfirmIn, Proposal, ProposalList, RejectIn
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/proposals", tags=["observations"], route_class=StrictRoute)
InState = Annotated[ProposalState | None, Query(description="In this state; without it those that wait for somebody.")]


@router.get("", response_model=ProposalList, summary="List proposals", responses=problems())
async def list_proposals(request: Request, state: InState = None, agent_id: AsAgent = None) -> Response:
    """Experiences, corrections and workflow rules that say the same in at least two projects, as far as the caller reads them.

    Neither copies count, nor what was said in one session or taken from one message. Found anew each time; nothing becomes a
    rule by itself.
    """
    found = await service_of(request).propose.list(await reader(request, agent_id), state)
    return answers.listed([proposal_answers.proposal(p) for p in found])


@router.post(
    "/{proposal_id}/confirm",
    response_model=Proposal,
    summary="Make it a rule in Git",
    responses=problems(404, 409, body=True),
)
async def confirm_proposal(request: Request, proposal_id: ProposalRef, body: ConfirmIn, agent_id: AsAgent = None) -> Response:
    """Writes one commit on a new branch of a registered repository, and nothing else there: merging it is for people.

    By a member that owns or administers the repository; an agent is refused. Repeating it answers with the same commit.
    """
    to = To(body.repository, body.path, body.branch)
    done = await service_of(request).propose.confirm(writer(request, agent_id), ProposalId(proposal_id), to)
    return answer(proposal_answers.proposal(done))


@router.post(
    "/{proposal_id}/reject",
    response_model=Proposal,
    summary="Turn a proposal down",
    responses=problems(404, 409, body=True),
)
async def reject_proposal(request: Request, proposal_id: ProposalRef, body: RejectIn, agent_id: AsAgent = None) -> Response:
    """By a member that may write where all of its memories are. It does not come back from the same memories."""
    done = await service_of(request).propose.reject(writer(request, agent_id), ProposalId(proposal_id), body.reason)
    return answer(proposal_answers.proposal(done))
