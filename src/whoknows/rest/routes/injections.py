"""Injections: a context for a sub-agent, what was given, and taking it back."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from pydantic import Field
from starlette.responses import Response

from whoknows.domain.injection import Depth, Injection
from whoknows.errors import Invalid
from whoknows.flows.inject import MOST_TOKENS, TOKENS, Gift, Injected
from whoknows.rest import answers
from whoknows.rest.answers import Json, answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, Cursor, InjectionRef, Limit
from whoknows.rest.schemas import handover as schema
from whoknows.rest.schemas.forms import LONGEST_LIFE, Label, Moment, Words
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["handing over"], route_class=StrictRoute)


@router.post(
    "/inject-context",
    response_model=schema.InjectedContext,
    summary="Give a sub-agent its context",
    responses=problems(404, 409, body=True),
)
async def inject_context(request: Request, body: schema.InjectIn) -> Response:
    """By a main agent, for a descendant. What the target does not read anyway becomes a copy for it, read-only.

    A copy ends with its own time, its original, the task, the giver's right to it, or when it is withdrawn. Giving the same
    again gives no second copy.
    """
    return await _injected(request, body.gift())


@router.get(
    "/inject-context",
    response_model=schema.InjectedContext,
    summary="Give a sub-agent its context (by GET)",
    responses=problems(404, 409),
)
async def get_inject_context(
    request: Request,
    agent_id: Annotated[Label, Query(description="The target: a descendant.")],
    task: Annotated[Words, Query(description="What it is to do, in words.")],
    depth: Annotated[Depth, Query(description="How much beside what is listed.")] = Depth.STANDARD,
    memory_ids: Annotated[list[UUID], Field(max_length=200), Query(description="What is given by its id.")] = [],  # noqa: B006
    project_id: Annotated[Label | None, Query(description="Whose context is given.")] = None,
    task_id: Annotated[Label | None, Query(description="Binds the copies to this open task.")] = None,
    expires_at: Annotated[Moment | None, Query(description="When the copies end.")] = None,
    expires_in: Annotated[int | None, Field(gt=0, le=LONGEST_LIFE), Query(description="Seconds, instead.")] = None,
    may_pass_on: Annotated[bool, Query(description="Whether the target may pass the copies on.")] = False,
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS), Query(description="Of the context.")] = TOKENS,
) -> Response:
    """The same, for those who can only GET: repeating it changes nothing, and it is never cached."""
    if expires_at is not None and expires_in is not None:
        raise Invalid("either expires_at or expires_in: not both", field="expires_in")
    body = schema.InjectIn.model_construct(
        agent_id=agent_id, task=task, depth=depth, memory_ids=memory_ids, project_id=project_id, task_id=task_id,
        expires_at=expires_at, expires_in=expires_in, may_pass_on=may_pass_on, max_tokens=max_tokens,
    )  # fmt: skip
    return await _injected(request, body.gift())


@router.get("/injections", response_model=schema.InjectionList, summary="List injections", responses=problems())
async def list_injections(
    request: Request,
    direction: Annotated[
        Literal["given", "received"] | None, Query(description="Only what the caller gave, or was given.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """What the caller gave, ended or not, and what it was given and still has; newest first."""
    given = None if direction is None else direction == "given"
    page = await service_of(request).inject.list(await reader(request, agent_id), given, limit, cursor)
    return answers.listed([_injection(i) for i in page.items], page.next_cursor)


@router.get("/injections/{injection_id}", response_model=schema.Injection, summary="Get an injection", responses=problems(404))
async def get_injection(request: Request, injection_id: InjectionRef, agent_id: AsAgent = None) -> Response:
    """For the agent that gave it, and for the one that has it."""
    return answer(_injection(await service_of(request).inject.get(await reader(request, agent_id), injection_id)))


@router.delete("/injections/{injection_id}", response_model=Deleted, summary="Withdraw an injection", responses=problems(404))
async def withdraw_injection(request: Request, injection_id: InjectionRef, agent_id: AsAgent = None) -> Response:
    """By the agent that gave it. The target's next request does not find it any more, nor does whom it was passed on to."""
    await service_of(request).inject.withdraw(writer(request, agent_id), injection_id)
    return answers.deleted()


async def _injected(request: Request, gift: Gift) -> Response:
    service = service_of(request)
    return answer(_context(await service.inject(writer(request), gift), service.tokenizer.name))


def _context(given: Injected, tokenizer: str) -> Json:
    return {
        "context": given.context,
        "memories": [
            {
                "id": g.id,
                "content": g.original.content,
                "injected_by": None if g.injected_by is None else g.injected_by.name,
                "origin": None if g.origin is None else answers.origin(g.origin),
            }
            for g in given.memories
        ],
        "source": f"injected_by_{given.giver.name}",
        "token_count": given.tokens,
        "tokenizer": tokenizer,
        "dropped": [{"id": identity, "why": why} for identity, why in given.dropped],
    }


def _injection(i: Injection) -> Json:
    return {
        "id": i.id,
        "injected_by": i.giver.name,
        "agent_id": i.target.name,
        "memory_id": i.memory,
        "original_id": i.original,
        "origin_changed": i.origin_changed,
        "basis": i.basis,
        "task_id": i.task_id,
        "may_pass_on": i.may_pass_on,
        "created_at": i.created_at,
        "expires_at": i.expires_at,
        "ended_at": i.ended_at,
        "ended_why": i.ended_why,
    }
