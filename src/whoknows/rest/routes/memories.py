"""Memories: list, get, edit, delete, archive, restore, share, and their history."""

from dataclasses import replace
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from whoknows.domain.audience import Layer
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, State
from whoknows.errors import Finding
from whoknows.flows.forget import Forgotten
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.errors import finding
from whoknows.rest.parameters import (
    AsAgent,
    Cursor,
    IfMatch,
    Limit,
    MemoryRef,
    NameRef,
    Narrowed,
    etag,
    version_named,
    version_required,
)
from whoknows.rest.schemas import memory as schema
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import Deleted, Edited, PatchIn, SupersedeIn
from whoknows.rest.schemas.writing import Forgotten as Gone
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/memories", tags=["memory"], route_class=StrictRoute)
OfLayer = Annotated[Layer | None, Query(description="Only of this layer.")]
InState = Annotated[State | None, Query(description="In this state instead of `active`.")]


@router.get("", response_model=schema.MemoryPage, summary="List memories", responses=problems(404))
async def list_memories(
    request: Request,
    narrowed: Narrowed,
    layer: OfLayer = None,
    state: InState = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent_id: AsAgent = None,
) -> Response:
    """What the caller may see, newest first. Only current memories, unless `state` names another state."""
    caller = await reader(request, agent_id, narrowed.task_id)
    page = await service_of(request).read.list(caller, _with(narrowed, layer, state), limit, cursor)
    return answers.listed([answers.memory(m) for m in page.items], page.next_cursor)


@router.get("/{memory_id}", response_model=schema.Memory, summary="Get a memory", responses=problems(404))
async def get_memory(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """Its version is in the header ETag. One that you may not see is not there."""
    found = await service_of(request).read.get(await reader(request, agent_id), MemoryId(memory_id))
    return answer(answers.memory(found), headers=etag(found.version))


@router.patch(
    "/{memory_id}",
    response_model=Edited,
    summary="Edit a memory",
    responses=problems(404, 409, 428, body=True),
)
async def edit_memory(
    request: Request, memory_id: MemoryRef, body: PatchIn, if_match: IfMatch = None, agent_id: AsAgent = None
) -> Response:
    """Names the version it was made from, by `version` or If-Match: a stale one is 409, none is 428, and nothing changes.

    Layer, author and audience never change through an edit.
    """
    version = version_required(if_match, body.version)
    caller = writer(request, agent_id)
    taken: list[Finding] = []
    edited = await service_of(request).change.edit(caller, MemoryId(memory_id), version, body.patch(), found=taken)
    return answer(answers.memory(edited) | {"findings": [finding(f) for f in taken]}, headers=etag(edited.version))


@router.delete("/{memory_id}", response_model=Gone, summary="Delete a memory", responses=problems(404, 409))
async def delete_memory(request: Request, memory_id: MemoryRef, if_match: IfMatch = None, agent_id: AsAgent = None) -> Response:
    """Nothing of its text remains, in copies neither (`copied`). Words that others wrote too stay theirs (`released`)."""
    version = version_named(if_match)
    return _forgotten(await service_of(request).forget(writer(request, agent_id), MemoryId(memory_id), version))


@router.delete("", response_model=Gone, summary="Delete all of a layer", responses=problems(404))
async def delete_layer(
    request: Request,
    narrowed: Narrowed,
    layer: Annotated[Literal["private", "team"], Query(description='Required: there is no "all".')],
    state: Annotated[State | None, Query(description="Only in this state; otherwise in any.")] = None,
    agent_id: AsAgent = None,
) -> Response:
    """All that the caller may delete there, at once."""
    caller = writer(request, agent_id)
    return _forgotten(await service_of(request).forget.all_of(caller, _with(narrowed, Layer(layer), state)))


@router.get("/{memory_id}/history", response_model=schema.History, summary="What a memory was before", responses=problems(404))
async def get_history(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """Its former texts, and the chain of what it replaced and what replaced it."""
    found = await service_of(request).read.history(await reader(request, agent_id), MemoryId(memory_id))
    return answer(answers.history_of(found))


@router.post("/{memory_id}/archive", response_model=schema.Memory, summary="Put a memory away", responses=problems(404, 409))
async def archive_memory(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """It is not recalled any more, and can be restored."""
    archived = await service_of(request).change.archive(writer(request, agent_id), MemoryId(memory_id))
    return answer(answers.memory(archived), headers=etag(archived.version))


@router.post("/{memory_id}/restore", response_model=schema.Memory, summary="Take a memory back", responses=problems(404, 409))
async def restore_memory(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """An archived memory is current again."""
    restored = await service_of(request).change.restore(writer(request, agent_id), MemoryId(memory_id))
    return answer(answers.memory(restored), headers=etag(restored.version))


@router.post(
    "/{memory_id}/supersede",
    response_model=schema.Memory,
    summary="Let a memory give way to another",
    responses=problems(404, 409, body=True),
)
async def supersede_memory(request: Request, memory_id: MemoryRef, body: SupersedeIn, agent_id: AsAgent = None) -> Response:
    """Answers the one that takes its place, with what it overturned; a document goes with its sections. Doing it twice changes
    nothing. Both must be the caller's to change."""
    caller = writer(request, agent_id)
    after = await service_of(request).overturn(caller, MemoryId(memory_id), MemoryId(body.by), body.reason)
    return answer(answers.memory(after), headers=etag(after.version))


@router.put(
    "/{memory_id}/shares/{reader_id}",
    response_model=schema.Memory,
    summary="Share a private memory with an agent",
    responses=problems(404, 409),
)
async def share_memory(request: Request, memory_id: MemoryRef, reader_id: NameRef, agent_id: AsAgent = None) -> Response:
    """By its author only. Doing it twice changes nothing."""
    caller = writer(request, agent_id)
    shared = await service_of(request).change.share(caller, MemoryId(memory_id), reader_id, given=True)
    return answer(answers.memory(shared), headers=etag(shared.version))


@router.delete(
    "/{memory_id}/shares/{reader_id}",
    response_model=Deleted,
    summary="Take a share back",
    responses=problems(404, 409),
)
async def unshare_memory(request: Request, memory_id: MemoryRef, reader_id: NameRef, agent_id: AsAgent = None) -> Response:
    """The agent's next request finds nothing any more."""
    caller = writer(request, agent_id)
    await service_of(request).change.share(caller, MemoryId(memory_id), reader_id, given=False)
    return answers.deleted()


def _with(narrowed: Filters, layer: Layer | None, state: State | None) -> Filters:
    return replace(narrowed, layer=None if layer is None else str(layer), state=state)


def _forgotten(gone: Forgotten) -> Response:
    return answer({"deleted": gone.deleted, "released": gone.released, "copied": gone.copied})
