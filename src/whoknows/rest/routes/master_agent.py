"""The master agent's prompts in three layers, and the context that a message would have."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from whoknows.rest import master_answers as told
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, reader_of, service_of, writer
from whoknows.rest.parameters import Account, AsAgent, Limit, ProjectRef
from whoknows.rest.schemas import master_agent as schema
from whoknows.rest.schemas.forms import Label, Words
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["master agent"], route_class=StrictRoute)
VersionCursor = Annotated[
    str | None, Field(pattern="^[0-9]{1,9}$"), Query(description="`nextCursor` of the page before.", alias="cursor")
]
_CONTROLS = "/projects/{projectId}/agent-controls"


@router.get("/master-agent/prompt-policy", response_model=schema.Policy, summary="The global prompt", responses=problems())
async def get_prompt_policy(request: Request) -> Response:
    """The administrator's layer, for everybody of the tenant to read."""
    return answer(told.policy(await service_of(request).prompts.policy(credential_of(request))))


@router.post(
    "/master-agent/prompt-policy",
    response_model=schema.Policy,
    summary="Set the global prompt",
    responses=problems(409, body=True),
)
async def set_prompt_policy(request: Request, body: schema.PolicyIn) -> Response:
    """Needs `admin`. It stands above all others, and takes effect with the next message of everybody."""
    saved = await service_of(request).prompts.set_policy(credential_of(request), body.global_prompt, body.version)
    return answer(told.policy(saved))


@router.get(
    "/master-agent/prompt-policy/history",
    response_model=schema.PolicyPage,
    summary="What the global prompt was before",
    responses=problems(),
)
async def get_prompt_policy_history(request: Request, limit: Limit = 50, cursor: VersionCursor = None) -> Response:
    """Who saved what and when, newest first."""
    page = await service_of(request).prompts.policy_history(credential_of(request), limit, cursor)
    return answer({"items": [told.policy(p) for p in page.items], "nextCursor": page.next_cursor})


@router.get("/master-agent/user-prompt", response_model=schema.UserPrompt, summary="A user's own prompt", responses=problems())
async def get_user_prompt(request: Request, account: Account = None, agent_id: AsAgent = None) -> Response:
    """Of the member that the key acts as, or that its main agent works for. Nobody else sees it."""
    caller = await reader_of(request, agent_id, account)
    return answer(told.user_prompt(await service_of(request).prompts.user(caller, account)))


@router.post(
    "/master-agent/user-prompt",
    response_model=schema.UserPrompt,
    summary="Set a user's own prompt",
    responses=problems(409, body=True),
)
async def set_user_prompt(request: Request, body: schema.UserPromptIn, agent_id: AsAgent = None) -> Response:
    """Appended to the global prompt, and never over it."""
    caller = writer(request, agent_id, body.account)
    saved = await service_of(request).prompts.set_user(caller, body.content, body.account, body.version)
    return answer(told.user_prompt(saved))


@router.get(
    "/master-agent/user-prompt/history",
    response_model=schema.UserPromptPage,
    summary="What a user's prompt was before",
    responses=problems(),
)
async def get_user_prompt_history(
    request: Request, account: Account = None, limit: Limit = 50, cursor: VersionCursor = None, agent_id: AsAgent = None
) -> Response:
    """Who saved what and when, newest first."""
    caller = await reader_of(request, agent_id, account)
    page = await service_of(request).prompts.history(caller, None, limit, cursor, account)
    return answer({"items": [told.user_prompt(p) for p in page.items], "nextCursor": page.next_cursor})


@router.get(_CONTROLS, response_model=schema.Controls, summary="Prompt, model and effort in a project", responses=problems())
async def get_agent_controls(
    request: Request, project: ProjectRef, account: Account = None, agent_id: AsAgent = None
) -> Response:
    """The account's own, for its conversations in the project. An unknown project answers like one without any."""
    caller = await reader_of(request, agent_id, account)
    return answer(told.controls(await service_of(request).prompts.controls(caller, project, account)))


@router.post(
    _CONTROLS,
    response_model=schema.Controls,
    summary="Set prompt, model and effort in a project",
    responses=problems(409, body=True),
)
async def set_agent_controls(
    request: Request, project: ProjectRef, body: schema.ControlsIn, agent_id: AsAgent = None
) -> Response:
    """What is named changes. The prompt is appended to the two above it."""
    caller = writer(request, agent_id, body.account)
    saved = await service_of(request).prompts.set_controls(caller, project, body.patch(), body.account, body.version)
    return answer(told.controls(saved))


@router.get(
    f"{_CONTROLS}/history",
    response_model=schema.ControlsPage,
    summary="What a project's prompt, model and effort were before",
    responses=problems(),
)
async def get_agent_controls_history(
    request: Request,
    project: ProjectRef,
    account: Account = None,
    limit: Limit = 50,
    cursor: VersionCursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """Who saved what and when, newest first."""
    caller = await reader_of(request, agent_id, account)
    page = await service_of(request).prompts.history(caller, project, limit, cursor, account)
    return answer({"items": [told.controls(p) for p in page.items], "nextCursor": page.next_cursor})


@router.get("/master-agent/context", response_model=schema.Context, summary="What a model would see", responses=problems())
async def get_context(
    request: Request,
    project_id: Annotated[Label, Query(alias="projectId", description="The project that the message is about.")],
    message: Annotated[Words, Query(description="The message that a model would answer.")],
    conversation_id: Annotated[Label | None, Query(alias="conversationId", description="The conversation it is in.")] = None,
    account: Account = None,
    agent_id: AsAgent = None,
) -> Response:
    """The seven parts in their order, what had no room and why, and the whole, byte for byte. Looking uses nothing."""
    caller = await reader_of(request, agent_id, account)
    return answer(told.context(await service_of(request).assemble_context(caller, project_id, message, conversation_id)))


@router.post(
    "/master-agent/context",
    response_model=schema.Context,
    summary="What a model would see, asked by a body",
    responses=problems(body=True),
)
async def post_context(request: Request, body: schema.ContextIn, agent_id: AsAgent = None) -> Response:
    """The same for a long message, or one that is not to stand in an address. It changes nothing."""
    caller = await reader_of(request, agent_id, body.account)
    found = await service_of(request).assemble_context(caller, body.project_id, body.message, body.conversation_id)
    return answer(told.context(found))
