"""Proposals: experiences that would be a rule; a person reads the very lines, and confirms them into Git or turns them down."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.difference import Changed, difference
from whoknows.console.faults import sentence
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import GATE, back, known_did
from whoknows.console.render import render
from whoknows.console.viewer import reader_of, service_of, viewer_of, writer_of
from whoknows.domain.credential import Caller
from whoknows.domain.principal import Kind
from whoknows.domain.proposal import ProposalId, ProposalState
from whoknows.errors import NotFound, WhoKnowsError
from whoknows.flows.propose import Listed, Places, To
from whoknows.ports import RuleChange
from whoknows.rest.parameters import ProposalRef

router = APIRouter(prefix="/gate", route_class=Guarded)
Field = Annotated[str, Form()]

DONE = ("confirmed", "rejected")
OPEN = (ProposalState.PENDING, ProposalState.WRITING)
_NEW_FILE = "learned.md"


@dataclass(frozen=True, slots=True)
class Draft:
    """What would be committed where, line by line, or why nothing can be."""

    to: To
    change: RuleChange | None
    lines: tuple[Changed, ...]
    fault: str | None


@router.get("/proposals")
async def proposals(request: Request, did: str | None = None) -> Response:
    door = closed_door(request, "gate", tab="proposals")
    if door is not None:
        return door
    found = await service_of(request).propose.all(await reader_of(request))
    return render(
        request,
        "gate/proposals.html",
        tab="proposals",
        waiting=[p for p in found if p.state in OPEN],
        decided=[p for p in found if p.state not in OPEN],
        did=known_did(did, DONE),
    )


@router.get("/proposals/{proposal_id}")
async def proposal(request: Request, proposal_id: ProposalRef, did: str | None = None) -> Response:
    """One proposal, with the lines that confirming it as it stands here would commit."""
    return closed_door(request, "gate", tab="proposals") or await _page(request, ProposalId(proposal_id), None, did)


@router.post("/proposals/{proposal_id}/preview")
async def preview(
    request: Request, proposal_id: ProposalRef, repository: Field = "", path: Field = "", branch: Field = ""
) -> Response:
    return await _page(request, ProposalId(proposal_id), To(repository, path.strip(), branch.strip() or None), None)


@router.post("/proposals/{proposal_id}/confirm")
async def confirm(
    request: Request, proposal_id: ProposalRef, repository: Field = "", path: Field = "", branch: Field = ""
) -> Response:
    to = To(repository, path, branch or None)
    await service_of(request).propose.confirm(writer_of(request), ProposalId(proposal_id), to)
    return back(request, f"{GATE}/proposals/{proposal_id}", "confirmed")


@router.post("/proposals/{proposal_id}/reject")
async def reject(request: Request, proposal_id: ProposalRef, reason: Field = "") -> Response:
    await service_of(request).propose.reject(writer_of(request), ProposalId(proposal_id), reason.strip() or None)
    return back(request, f"{GATE}/proposals", "rejected")


async def _page(request: Request, proposal: ProposalId, to: To | None, did: str | None) -> Response:
    caller, propose = await reader_of(request), service_of(request).propose
    listed = await _find(request, caller, proposal)
    is_person = caller.principal is not None and caller.principal.kind is Kind.MEMBER
    may_act = viewer_of(request).eyes is None and is_person
    places = await propose.places(caller)
    draft = None
    if may_act and listed.state in OPEN:
        to = to or _suggested(listed, places)
        draft = None if to is None else await _draft(request, caller, proposal, to)
    return render(
        request,
        "gate/proposal.html",
        tab="proposals",
        listed=listed,
        places=places,
        repositories=[(name, name) for name in places.repositories],
        draft=draft,
        is_person=is_person,
        may_act=may_act,
        did=known_did(did, DONE),
    )


async def _find(request: Request, caller: Caller, proposal: ProposalId) -> Listed:
    for listed in await service_of(request).propose.all(caller):
        if listed.id == proposal:
            return listed
    raise NotFound("there is no such proposal, or its memories say something else by now")


def _suggested(listed: Listed, places: Places) -> To | None:
    decision = listed.decision
    if decision is not None and decision.repository is not None and decision.path is not None:
        return To(decision.repository, decision.path, decision.branch)
    if not places.repositories or not places.paths:
        return None
    path = places.paths[0]
    return To(places.repositories[0], f"{path}{_NEW_FILE}" if path.endswith("/") else path)


async def _draft(request: Request, caller: Caller, proposal: ProposalId, to: To) -> Draft:
    """A place that does not do is said beside the form: another one can be named there."""
    try:
        change = await service_of(request).propose.preview(caller, proposal, to)
    except WhoKnowsError as fault:
        return Draft(to, None, (), sentence(request, fault))
    return Draft(To(to.repository, change.path, change.branch), change, difference(change.before, change.after), None)
