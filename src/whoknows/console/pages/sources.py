"""Sources: repositories and folders whose documents are indexed; registered, synchronised and taken away."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import PAGE, back, known_did
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import is_nobody, is_part, must_choose, reader_of, service_of, viewer_of, writer_of
from whoknows.domain.credential import Caller, Permission
from whoknows.domain.source import LocationKind, SourceId
from whoknows.errors import Invalid, NotFound
from whoknows.flows.authenticate import administer_as
from whoknows.flows.keep_sources import NewSource
from whoknows.rest.parameters import SourceRef

router = APIRouter(prefix="/sources", route_class=Guarded)
Field = Annotated[str, Form()]

SOURCES = f"{CONSOLE}/sources"
DONE = ("registered", "removed", "synced")


@router.get("")
async def sources(request: Request, did: str | None = None) -> Response:
    kept = await service_of(request).keep_sources.kept(await _looker(request))
    return render(
        request,
        "sources/list.html",
        kept=kept.sources,
        changeable=kept.changeable,
        owners=kept.owners,
        did=known_did(did, DONE),
    )


@router.post("")
async def register(request: Request, kind: Field = "", locator: Field = "", name: Field = "", audience: Field = "") -> Response:
    if kind not in set(LocationKind):
        raise Invalid("say what lies there: a Git repository, or a folder", field="kind")
    new = NewSource(LocationKind(kind), locator.strip(), name.strip(), audience)
    await service_of(request).keep_sources.register(_keeper(request), new)
    return back(request, SOURCES, "registered")


@router.get("/{source_id}")
async def documents(request: Request, source_id: SourceRef, did: str | None = None, after: str | None = None) -> Response:
    caller, service = await _looker(request), service_of(request)
    source, page = await service.keep_sources.documents(caller, SourceId(source_id), PAGE, after)
    is_more = is_part(request) and after is not None
    kept = None if is_more else await service.keep_sources.kept(caller)
    return render(
        request,
        "sources/document_rows.html" if is_more else "sources/documents.html",
        source=source,
        documents=page.items,
        next_cursor=page.next_cursor,
        changeable=kept.changeable if kept else frozenset[SourceId](),
        did=known_did(did, DONE),
    )


@router.post("/{source_id}/sync")
async def synchronise(request: Request, source_id: SourceRef) -> Response:
    """Answers when it is done. SyncRunning while another one is under way."""
    caller, service = _keeper(request), service_of(request)
    done = await service.index_source(caller, SourceId(source_id))
    if not is_part(request):
        return back(request, f"{SOURCES}/{source_id}", "synced")
    kept = await service.keep_sources.kept(caller)
    source = next((s for s in kept.sources if s.id == source_id), None)
    if source is None:
        raise NotFound("there is no such source")
    return render(request, "sources/source.html", source=source, changeable=kept.changeable, synced=done)


@router.post("/{source_id}/remove")
async def remove(request: Request, source_id: SourceRef) -> Response:
    await service_of(request).keep_sources.remove(_keeper(request), SourceId(source_id))
    return back(request, SOURCES, "removed")


async def _looker(request: Request) -> Caller:
    return await reader_of(request) if viewer_of(request).eyes is not None else _keeper(request)


def _keeper(request: Request) -> Caller:
    """Who acts; an administrator's key need not act as anybody."""
    viewer = viewer_of(request)
    is_admin = Permission.ADMIN in viewer.session.credential.permissions
    if viewer.eyes is None and viewer.acting is None and (is_admin or is_nobody(viewer)):
        return administer_as(viewer.session.credential)
    must_choose(viewer)
    return writer_of(request)
