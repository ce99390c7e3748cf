"""The gate: what waits for a reviewer, and what did not go in."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.ids import MemoryId
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.errors import finding
from whoknows.rest.parameters import AsAgent, Cursor, Limit, MemoryRef
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.review import AdmitIn, Admitted, LedgerPage, RejectHeldIn, ReviewPage
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["governed facts"], route_class=StrictRoute)


@router.get("/review", response_model=ReviewPage, summary="What waits for me?", responses=problems())
async def waiting(request: Request, agent_id: AsAgent = None, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """What the caller may let in or reject, oldest first. A reviewer is a member with write rights there who is not the
    author; of account memory, the member."""
    page = await service_of(request).review.waiting(await reader(request, agent_id), limit, cursor)
    return answers.listed([answers.memory(m) for m in page.items], page.next_cursor)


@router.post("/review/{memory_id}/admit", response_model=Admitted, summary="Let it in", responses=problems(404, 409, body=True))
async def admit(request: Request, memory_id: MemoryRef, body: AdmitIn) -> Response:
    """As it is, or in the reviewer's own words. What it wants to overturn gives way."""
    named = body.model_fields_set
    outcome = await service_of(request).review.admit(
        writer(request),
        MemoryId(memory_id),
        body.version,
        body.content if "content" in named else None,
        body.title if "title" in named else None,
    )
    return answer(answers.outcome(outcome))


@router.post("/review/{memory_id}/refuse", response_model=Deleted, summary="Refuse it", responses=problems(404, 409, body=True))
async def reject(request: Request, memory_id: MemoryRef, body: RejectHeldIn) -> Response:
    """It is deleted; its author finds the reason in its ledger."""
    await service_of(request).review.reject(writer(request), MemoryId(memory_id), body.reason)
    return answers.deleted()


@router.get("/ledger", response_model=LedgerPage, summary="What did not go in", responses=problems())
async def ledger(request: Request, agent_id: AsAgent = None, limit: Limit = 50, cursor: Cursor = None) -> Response:
    """The caller's own writes that were refused or failed, newest first, with the reason and without the text. Nothing tries
    them again."""
    page = await service_of(request).ledger.page(await reader(request, agent_id), limit, cursor)
    items = [
        {
            "id": f.id,
            "at": f.at,
            "route": f.route,
            "code": f.code,
            "detail": f.detail,
            "findings": [finding(x) for x in f.findings],
        }
        for f in page.items
    ]
    return answers.listed(items, page.next_cursor)
