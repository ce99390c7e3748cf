"""Provenance: from a memory to its original lines, and looking for its quotes again."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.ids import MemoryId
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import reader, service_of, writer
from whoknows.rest.parameters import AsAgent, MemoryRef, etag
from whoknows.rest.provenance_answers import provenance
from whoknows.rest.schemas.memory import Memory
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.provenance import Provenance
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/memories", tags=["evidence"], route_class=StrictRoute)


@router.get(
    "/{memory_id}/provenance", response_model=Provenance, summary="Where does a memory come from?", responses=problems(404)
)
async def get_provenance(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """Each quote with its place in the source as it is found today, three lines around it, and so on through every memory that
    it was taken from. Of a source that the caller may not read only what the evidence says itself."""
    found = await service_of(request).trace_memory(await reader(request, agent_id), MemoryId(memory_id))
    return answer(provenance(found))


@router.post(
    "/{memory_id}/reverify", response_model=Memory, summary="Look for the quotes of a memory again", responses=problems(404)
)
async def reverify(request: Request, memory_id: MemoryRef, agent_id: AsAgent = None) -> Response:
    """In the newest state of each source that the caller may read; by one who may change the memory. A commit goes on saying
    what it said: where the newest one does not, the evidence stays verified, and is marked `moved`."""
    looked = await service_of(request).reverify.memory(writer(request, agent_id), MemoryId(memory_id))
    return answer(answers.memory(looked), headers=etag(looked.version))
