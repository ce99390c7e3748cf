"""Distillation: what of a conversation is worth remembering becomes memory of the account, and can be undone as a batch."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Request
from pydantic import BeforeValidator
from starlette.responses import Response

from whoknows.domain.distillation import BatchId
from whoknows.errors import NotFound
from whoknows.flows.distill import ROUTE
from whoknows.rest import distill_answers as told
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader_of, service_of, writer
from whoknows.rest.parameters import Account, AsAgent, Cursor, Limit, ProjectId, Repeatable
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas import distillations as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/master-agent/distill", tags=["master agent"], route_class=StrictRoute)


def _batch(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:  # what is no identifier is absent, like one that was never given out
        raise NotFound("there is no such distillation") from None


BatchRef = Annotated[UUID, BeforeValidator(_batch), Path(description="The `batchId` of a distillation.")]


@router.post("", response_model=schema.DistilledOut, summary="Distil a conversation", responses=problems(404, 409, body=True))
async def distill_messages(
    request: Request, body: schema.DistillIn, idempotency_key: Repeatable = None, agent_id: AsAgent = None
) -> Response:
    """Keeps only what will matter later, each with its sentence as quote and its message as source.

    By the member, or a main agent that works for it. Progress, decisions, risks and blocks go to the project, preferences to
    the user's general memory. What a memory says already adds nothing; what has changed takes its place, and the older
    statement stays visible as overturned. Secrets are taken out before anything else happens; what came out of a memory, or
    what only the assistant guessed, is never kept. The same messages again (by their ids and words) add nothing, nor does
    the same conversation under other ids; one sentence said again alone is judged anew.
    """
    caller = writer(request, agent_id, body.account)
    once = await repeatable(ROUTE, idempotency_key, request)
    return answer(told.distilled(await service_of(request).distill(caller, body.transcript(), once)))


@router.get("", response_model=schema.BatchPage, summary="List distillations", responses=problems())
async def list_distillations(
    request: Request, account: Account = None, limit: Limit = 50, cursor: Cursor = None, agent_id: AsAgent = None
) -> Response:
    """Those that kept something, or were undone, newest first; those of chat and those by hand."""
    caller = await reader_of(request, agent_id, account)
    page = await service_of(request).distillations.list(caller, limit, cursor, account)
    return answer({"items": [told.batch(d) for d in page.items], "nextCursor": page.next_cursor})


@router.get("/settings", response_model=schema.SettingsOut, summary="Whether chat is distilled", responses=problems())
async def get_distill_settings(
    request: Request, project_id: ProjectId = None, account: Account = None, agent_id: AsAgent = None
) -> Response:
    """Whether turns of chat become memory by themselves: as the project says, else as the account says, else yes."""
    caller = await reader_of(request, agent_id, account)
    return answer(told.settings(await service_of(request).distillations.settings(caller, project_id, account)))


@router.post(
    "/settings", response_model=schema.SettingsOut, summary="Switch the distillation of chat", responses=problems(body=True)
)
async def set_distill_settings(request: Request, body: schema.SettingsIn, agent_id: AsAgent = None) -> Response:
    """For the account, or for one project. It holds from the next message on; a single message may say `distill: false`."""
    caller = writer(request, agent_id, body.account)
    saved = await service_of(request).distillations.set(caller, body.project_id, body.automatic, body.account)
    return answer(told.settings(saved))


@router.get("/{batch_id}", response_model=schema.BatchWhole, summary="Read a distillation", responses=problems(404))
async def get_distillation(request: Request, batch_id: BatchRef, account: Account = None, agent_id: AsAgent = None) -> Response:
    """What it kept, as far as it is there today, and why the rest was skipped."""
    caller = await reader_of(request, agent_id, account)
    return answer(told.whole(*await service_of(request).distillations.get(caller, BatchId(batch_id), account)))


@router.delete("/{batch_id}", response_model=schema.UndoneOut, summary="Undo a distillation", responses=problems(404, 409))
async def undo_distillation(
    request: Request, batch_id: BatchRef, account: Account = None, agent_id: AsAgent = None
) -> Response:
    """What it wrote is deleted, what that had overturned is current again, and what it joined loses what it added.

    A memory that others said too, or that was changed by hand since, stays. Undoing again changes nothing.
    """
    caller = writer(request, agent_id, account)
    return answer(told.undone(await service_of(request).distillations.undo(caller, BatchId(batch_id), account)))
