"""The memories of an account, by the paths and names of the second source."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category, Filters, State
from whoknows.errors import Invalid
from whoknows.rest import master_answers as told
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader_of, service_of, writer
from whoknows.rest.parameters import (
    Account,
    AsAgent,
    Cursor,
    IfMatch,
    Limit,
    MemoryRef,
    ProjectId,
    Repeatable,
    Tags,
    etag,
    version_named,
)
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas import master_memories as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Forgotten
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/master-agent/memories", tags=["master agent"], route_class=StrictRoute)
OfScope = Annotated[Literal["global", "project"] | None, Query(description="`global`: of no project; `project`: of one.")]
OfType = Annotated[Category | None, Query(alias="memoryType", description="Only of this type.")]
Archived = Annotated[bool, Query(description="Those that were put away, instead of the current ones.")]
Distilled = Annotated[bool | None, Query(description="true: what was kept of talk; false: the rest.")]
OfBatch = Annotated[UUID | None, Query(alias="batchId", description="Only what this distillation wrote.")]


@router.get("", response_model=schema.MasterMemoryPage, summary="List the memories of an account", responses=problems())
async def list_master_memories(
    request: Request,
    scope: OfScope = None,
    project_id: ProjectId = None,
    memory_type: OfType = None,
    tags: Tags = [],  # noqa: B006 - FastAPI copies it
    archived: Archived = False,
    distilled: Distilled = None,
    batch_id: OfBatch = None,
    account: Account = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """Newest first; another account's are not there."""
    if scope == "global" and project_id is not None:
        raise Invalid("scope global has no projectId", field="projectId")
    filters = Filters(
        project_id=project_id,
        category=memory_type,
        tags=tuple(tags),
        state=State.ARCHIVED if archived else State.ACTIVE,
        general=None if scope is None else scope == "global",
        distilled=distilled,
        batch=batch_id,
    )
    caller = await reader_of(request, agent_id, account)
    page = await service_of(request).account_memories.list(caller, filters, limit, cursor, account)
    return answer({"items": [told.memory(m) for m in page.items], "nextCursor": page.next_cursor})


@router.post(
    "",
    status_code=201,
    response_model=schema.MasterMemory,
    summary="Write a memory of an account",
    responses={**problems(404, 409, body=True), 202: {"model": schema.MasterMemory, "description": "It waits for a reviewer."}},
)
async def make_master_memory(
    request: Request, body: schema.MasterMemoryIn, idempotency_key: Repeatable = None, agent_id: AsAgent = None
) -> Response:
    """By the member, or a main agent that works for it. The same words again are the same memory."""
    caller = writer(request, agent_id, body.account)
    once = await repeatable("master-agent/memories", idempotency_key, request)
    outcome, written = await service_of(request).account_memories.write(caller, body.new(), body.account, once)
    return answer(told.memory(written), 202 if outcome.outcome == "held" else 201, etag(written.memory.version))


@router.post(
    "/{memory_id}",
    response_model=schema.MasterMemory,
    summary="Change a memory of an account",
    responses=problems(404, 409, body=True),
)
async def change_master_memory(
    request: Request, memory_id: MemoryRef, body: schema.MasterMemoryPatchIn, if_match: IfMatch = None, agent_id: AsAgent = None
) -> Response:
    """Text fields and `archived` together. With a version, only that one: a stale one is 409, and nothing changes."""
    caller = writer(request, agent_id, body.account)
    change = body.change(version_named(if_match, body.version))
    edited = await service_of(request).account_memories.edit(caller, MemoryId(memory_id), change, body.account)
    return answer(told.memory(edited), headers=etag(edited.memory.version))


@router.delete("/{memory_id}", response_model=Forgotten, summary="Delete a memory of an account", responses=problems(404, 409))
async def delete_master_memory(
    request: Request, memory_id: MemoryRef, if_match: IfMatch = None, account: Account = None, agent_id: AsAgent = None
) -> Response:
    """Nothing of its text remains, in copies neither."""
    caller = writer(request, agent_id, account)
    version = version_named(if_match)
    gone = await service_of(request).account_memories.delete(caller, MemoryId(memory_id), version, account)
    return answer({"deleted": gone.deleted, "released": gone.released, "copied": gone.copied})
