"""Handing a memory on: a share with an agent, a copy for a team or the board, and taking either back."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.memory.items import done, kept, part
from whoknows.console.viewer import is_part, service_of, writer_of
from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.principal import EVERYONE, Kind, parse_space
from whoknows.errors import Invalid

router = APIRouter(route_class=Guarded)


@router.get("/memory/{memory}/publish")
async def publishing(request: Request, memory: UUID) -> Response:
    writer_of(request)
    alone = "" if is_part(request) else "1"
    return part(request, "memory/publish.html", "memory.publish_title", kept=await kept(request, memory), alone=alone)


@router.post("/memory/{memory}/publish")
async def publish(request: Request, memory: UUID, team: Annotated[str, Form()], alone: Annotated[str, Form()] = "") -> Response:
    published = await service_of(request).publish(writer_of(request), MemoryId(memory), _team(team))
    return await done(request, memory, alone, f"memory.published_{published.state}", "publish")


@router.post("/memory/publications/{publication}/withdraw")
async def withdraw(request: Request, publication: UUID, alone: Annotated[str, Form()] = "") -> Response:
    taken = await service_of(request).publications.withdraw(writer_of(request), PublicationId(publication))
    return await done(request, taken.publication.original, alone, "memory.published_withdrawn", "publish")


@router.post("/memory/publications/{publication}/republish")
async def republish(request: Request, publication: UUID, alone: Annotated[str, Form()] = "") -> Response:
    published = await service_of(request).publications.republish(writer_of(request), PublicationId(publication))
    return await done(request, published.publication.original, alone, f"memory.published_{published.state}", "publish")


@router.get("/memory/{memory}/share")
async def sharing(request: Request, memory: UUID) -> Response:
    writer_of(request)
    alone = "" if is_part(request) else "1"
    return part(request, "memory/share.html", "memory.share_title", kept=await kept(request, memory), alone=alone)


@router.post("/memory/{memory}/share")
async def share(request: Request, memory: UUID, agent: Annotated[str, Form()], alone: Annotated[str, Form()] = "") -> Response:
    await service_of(request).change.share(writer_of(request), MemoryId(memory), agent, given=True)
    return await done(request, memory, alone, "memory.shared")


@router.post("/memory/{memory}/unshare")
async def unshare(
    request: Request, memory: UUID, agent: Annotated[str, Form()], alone: Annotated[str, Form()] = ""
) -> Response:
    await service_of(request).change.share(writer_of(request), MemoryId(memory), agent, given=False)
    return await done(request, memory, alone, "memory.unshared")


@router.post("/memory/{memory}/gifts/{injection}/withdraw")
async def take_back(request: Request, memory: UUID, injection: UUID, alone: Annotated[str, Form()] = "") -> Response:
    await service_of(request).inject.withdraw(writer_of(request), injection)
    return await done(request, memory, alone, "memory.taken_back")


def _team(space: str) -> str:
    if space == EVERYONE:
        return EVERYONE
    match parse_space(space):
        case (Kind.TEAM, name):
            return name
        case _:
            raise Invalid("choose a team", field="team")
