"""Tasks: opened by a main agent for its descendants, and closed."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.task import Task
from whoknows.rest import answers
from whoknows.rest.answers import Json, answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, NameRef
from whoknows.rest.schemas import handover as schema
from whoknows.rest.schemas.forms import end
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/tasks", tags=["handing over"], route_class=StrictRoute)


@router.post("", status_code=201, response_model=schema.OpenedTask, summary="Open a task", responses=problems(409, body=True))
async def open_task(request: Request, body: schema.TaskIn, agent_id: AsAgent = None) -> Response:
    """By a main agent, for descendants. Each gets a token, shown this once: a key for it alone, for this task, with its end.

    Opening an open task again puts further agents on it, and gives those that are named new tokens in place of the old.
    """
    opened = await service_of(request).tasks.open(
        writer(request, agent_id), body.task_id, body.agents, end(body.expires_at, body.expires_in)
    )
    return answer({**_task(opened.task), "tokens": opened.tokens}, 201)


@router.get("", response_model=schema.TaskList, summary="List tasks", responses=problems())
async def list_tasks(request: Request, agent_id: AsAgent = None) -> Response:
    """Those that the caller opened or is on, newest first."""
    found = await service_of(request).tasks.list(await reader(request, agent_id))
    return answers.listed([_task(t) for t in found])


@router.post("/{name}/close", response_model=schema.ClosedTask, summary="Close a task", responses=problems(404))
async def close_task(request: Request, name: NameRef, agent_id: AsAgent = None) -> Response:
    """By the agent that opened it. Its tokens die, what was injected for it goes; what its agents wrote stays."""
    closed = await service_of(request).tasks.close(writer(request, agent_id), name)
    return answer({**_task(closed.task), "tokens_revoked": closed.tokens, "injections_ended": closed.copies})


def _task(task: Task) -> Json:
    return {
        "task_id": task.name,
        "opened_by": task.opened_by.space,
        "agents": [a.name for a in task.agents],
        "opened_at": task.opened_at,
        "expires_at": task.expires_at,
        "closed_at": task.closed_at,
    }
