"""Workplaces: the directories in which programs work for a project, and the stage of each project."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from whoknows.domain.harness import Program, Stage
from whoknows.rest import answers, workplace_answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, ProjectName
from whoknows.rest.schemas import workplaces as schema
from whoknows.rest.schemas.forms import Moment
from whoknows.rest.schemas.harness_reports import HarnessReport
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["harnesses"], route_class=StrictRoute)
OfProgram = Annotated[Program, Query(description="The program that works there.")]
AnyProgram = Annotated[Program | None, Query(description="The program that works there; without it any of them counts.")]
OnMachine = Annotated[schema.Machine, Query(description="The host name of the machine.")]
Since = Annotated[Moment | None, Query(description="From this moment on. Default: four weeks before `until`.")]
Until = Annotated[Moment | None, Query(description="Before this moment. Default: now.")]
InDirectory = Annotated[schema.Directory, Query(description="An absolute path.")]


@router.get("/workplaces", response_model=schema.WorkplaceList, summary="Where do my programs work?", responses=problems())
async def list_workplaces(request: Request, agent_id: AsAgent = None) -> Response:
    """Those of your account: whatever you or one of your main agents registered, on any machine."""
    found = await service_of(request).workplaces.all(await reader(request, agent_id))
    return answers.listed([workplace_answers.workplace(w) for w in found])


@router.put("/workplaces", response_model=schema.Workplace, summary="Register a directory", responses=problems(409, body=True))
async def put_workplace(request: Request, body: schema.WorkplaceIn, agent_id: AsAgent = None) -> Response:
    """From now on the program works for that project there and below. Nothing else routes a directory, no Git remote either.

    The same again changes nothing; with another project it is moved. A sub-agent and a key for a task have no workplaces.
    """
    caller = writer(request, agent_id)
    made = await service_of(request).workplaces.register(caller, body.program, body.machine, body.directory, body.project_id)
    return answer(workplace_answers.workplace(made))


@router.delete("/workplaces", response_model=Deleted, summary="Unregister a directory", responses=problems(404))
async def delete_workplace(
    request: Request, program: OfProgram, machine: OnMachine, directory: InDirectory, agent_id: AsAgent = None
) -> Response:
    """It belongs to nothing any more, or to what is registered above it. Memories stay where they are."""
    await service_of(request).workplaces.unregister(writer(request, agent_id), program, machine, directory)
    return answers.deleted()


@router.get("/workplaces/route", response_model=schema.Routed, summary="Where is a directory routed?", responses=problems(404))
async def route_workplace(
    request: Request, machine: OnMachine, directory: InDirectory, program: AnyProgram = None, agent_id: AsAgent = None
) -> Response:
    """By the longest registered directory that holds it, in whole components. 404 where none does."""
    found = await service_of(request).workplaces.route(await reader(request, agent_id), program, machine, directory)
    return answer(workplace_answers.routed(found))


@router.get(
    "/projects/{project_id}/stage", response_model=schema.ProjectStage, summary="How far is it connected?", responses=problems()
)
async def get_project_stage(request: Request, project_id: ProjectName, agent_id: AsAgent = None) -> Response:
    """For your account: the stage, its history, and what the next one asks for. A project that nobody set is `off`."""
    return answer(workplace_answers.stage(await service_of(request).stages.now(await reader(request, agent_id), project_id)))


@router.put(
    "/projects/{project_id}/stage",
    response_model=schema.ProjectStage,
    summary="Set the stage of a project",
    responses=problems(409, body=True),
)
async def set_project_stage(
    request: Request, project_id: ProjectName, body: schema.StageIn, agent_id: AsAgent = None
) -> Response:
    """`off`, `read-only`, `governed`, `team`: one step forward, or any back, at once. It governs what the hooks do.

    `team` needs the project to go to a team that you read: 409 `stage_unreachable` otherwise.
    """
    caller = writer(request, agent_id)
    return answer(
        workplace_answers.stage(await service_of(request).stages.set(caller, project_id, Stage(body.stage), body.reason))
    )


@router.get("/projects/{project_id}/report", response_model=HarnessReport, summary="What did it bring?", responses=problems())
async def get_harness_report(
    request: Request, project_id: ProjectName, since: Since = None, until: Until = None, agent_id: AsAgent = None
) -> Response:
    """What the hooks did in a project, stage by stage: how often, how much, how well, how fast, and what is still corrected.

    It is there for deciding on the next stage. A report that is empty says what is missing.
    """
    caller = await reader(request, agent_id)
    return answer(workplace_answers.report(await service_of(request).report_harness(caller, project_id, since, until)))
