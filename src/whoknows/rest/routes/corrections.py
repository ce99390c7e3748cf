"""Corrections: record what had to be put right, list it, delete it, and see what is put right again and again."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from whoknows.domain.correction import CorrectionId
from whoknows.flows.summarize_corrections import MOST_WEEKS
from whoknows.rest import answers
from whoknows.rest import correction_answers as told
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, CorrectionRef, Cursor, Limit, Project, Repeatable
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas import corrections as schema
from whoknows.rest.schemas.forms import Moment
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/corrections", tags=["governed facts"], route_class=StrictRoute)
_WEEKS = "So many weeks before `at`, and as many after it."
_MIDDLE = "The moment between the two periods, such as the day on which something was introduced. Default: so many weeks ago."


@router.post(
    "",
    status_code=201,
    response_model=schema.Recorded,
    summary="Record a correction",
    responses=problems(404, 409, body=True),
)
async def record_correction(request: Request, body: schema.CorrectionIn, idempotency_key: Repeatable = None) -> Response:
    """That something had to be put right, and with `supersedes` the new text in the place of the old one.

    Without an Idempotency-Key each call is one more correction, also of the same words.
    """
    once = await repeatable("corrections", idempotency_key, request)
    recorded = await service_of(request).corrections.record(writer(request, body.agent_id), body.said(), once)
    return answer(told.recorded(recorded), 201)


@router.get("", response_model=schema.CorrectionPage, summary="List corrections", responses=problems())
async def list_corrections(
    request: Request, project_id: Project = None, limit: Limit = 50, cursor: Cursor = None, agent_id: AsAgent = None
) -> Response:
    """Those of your own bank and of your teams'; what was recorded last comes first."""
    page = await service_of(request).corrections.list(await reader(request, agent_id), project_id, limit, cursor)
    return answers.listed([told.correction(c) for c in page.items], page.next_cursor)


@router.get("/summary", response_model=schema.Summary, summary="What is corrected again and again?", responses=problems())
async def corrections_summary(
    request: Request,
    weeks: Annotated[int, Field(ge=1, le=MOST_WEEKS), Query(description=_WEEKS)] = 4,
    at: Annotated[Moment | None, Query(description=_MIDDLE)] = None,
    project_id: Project = None,
    agent_id: AsAgent = None,
) -> Response:
    """The same thing corrected at least twice: by subject, by the memory that was wrong, else by what the corrections say."""
    compared = await service_of(request).summarize_corrections(await reader(request, agent_id), weeks, at, project_id)
    return answer(told.summary(weeks, compared))


@router.delete("/{correction_id}", response_model=Deleted, summary="Delete a correction", responses=problems(404))
async def delete_correction(request: Request, correction_id: CorrectionRef, agent_id: AsAgent = None) -> Response:
    """It is not counted any more. The memory that it brought stays."""
    await service_of(request).corrections.forget(writer(request, agent_id), CorrectionId(correction_id))
    return answers.deleted()
