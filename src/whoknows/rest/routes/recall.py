"""Recall: a question, by GET or by POST, and the traces of one's own."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from whoknows.domain.ids import TraceId
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, where_of
from whoknows.rest.parameters import AsAgent, OfCategory, Project, Tags, Task, TeamName, TraceRef
from whoknows.rest.schemas.forms import Label, Words
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.recall import Include, RecallIn, Recollection, Trace
from whoknows.rest.schemas.workplaces import Directory
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["recall"], route_class=StrictRoute)
_DIRECTORY = "In place of `project_id`: where one works, on the machine of the header X-Machine."
_GLOBAL = "With `project_id`: memories of no project too."
_SESSION = "Opens what is bound to this session."
_FLOOR = "Nothing below this comes back. Without one the calibrated floor holds; 0 turns it off."


@router.get("/recall", response_model=Recollection, summary="Ask what one may know", responses=problems(404))
async def recall(
    request: Request,
    query: Annotated[Words, Query(description="The question.", examples=["预发 数据库 端口"])],
    limit: Annotated[int, Field(ge=1, le=100), Query(description="Memories at most.")] = 10,
    min_score: Annotated[float | None, Field(ge=0, le=1, allow_inf_nan=False), Query(description=_FLOOR)] = None,
    project_id: Project = None,
    or_global: Annotated[bool, Query(description=_GLOBAL)] = False,
    directory: Annotated[Directory | None, Query(description=_DIRECTORY)] = None,
    session_id: Annotated[Label | None, Query(description=_SESSION)] = None,
    task_id: Task = None,
    team_id: TeamName = None,
    category: OfCategory = None,
    tags: Tags = [],  # noqa: B006 - FastAPI copies it
    include: Annotated[Include, Query(description="`history` and `trace`, with commas or repeated.")] = [],  # noqa: B006
    agent_id: AsAgent = None,
) -> Response:
    """Searches the reader's own spaces, before ranking, and brings what reaches the floor: with evidence, or nothing."""
    asked = RecallIn.model_construct(
        query=query,
        limit=limit,
        min_score=min_score,
        project_id=project_id,
        or_global=or_global,
        directory=directory,
        session_id=session_id,
        task_id=task_id,
        team_id=team_id,
        category=category,
        tags=tags,
        include=include,
    )
    return await _recalled(request, agent_id, asked, "trace" in include)


@router.post("/recall", response_model=Recollection, summary="Ask what one may know", responses=problems(404, body=True))
async def recall_by_post(request: Request, body: RecallIn) -> Response:
    """The same as GET, for questions that are long or should not stand in an address."""
    return await _recalled(request, body.agent_id, body, "trace" in body.include)


@router.get("/traces/{trace_id}", response_model=Trace, summary="How an answer came about", responses=problems(404))
async def get_trace(request: Request, trace_id: TraceRef, agent_id: AsAgent = None) -> Response:
    """One's own traces only, without what has become invisible since."""
    found = await service_of(request).follow.trace(await reader(request, agent_id), TraceId(trace_id))
    return answer(answers.trace(found))


async def _recalled(request: Request, agent_id: str | None, asked: RecallIn, trace: bool) -> Response:
    question = asked.question(where_of(request, asked.directory))
    found = await service_of(request).recall(await reader(request, agent_id, question.filters.task_id), question)
    return answer(answers.recollection(found, history=question.history, trace_wanted=trace))
