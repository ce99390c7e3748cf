"""System: whether it is well, what it is made of, how large it is, and what waits; to each as much as is for it to know."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.console.guard import Guarded
from whoknows.console.render import render
from whoknows.console.viewer import facts_of, is_nobody, reader_of, service_of, viewer_of
from whoknows.flows.authenticate import administer_as
from whoknows.flows.measure import runs_it

router = APIRouter(route_class=Guarded)


@router.get("/sources/system")
async def system(request: Request) -> Response:
    service, viewer = service_of(request), viewer_of(request)
    credential = viewer.session.credential
    administers = viewer.may("admin") and viewer.eyes is None
    runs = runs_it(credential) and viewer.eyes is None
    acts = viewer.acting is not None or viewer.eyes is not None
    reader = await reader_of(request) if acts else None
    lister = administer_as(credential) if reader is None and is_nobody(viewer) and administers else reader
    return render(
        request,
        "system/page.html",
        facts=facts_of(request),
        ready=await service.oversee.ready(),
        built=await service.measure.built(credential) if administers else None,
        measured=await service.measure.measured(credential) if runs else None,
        pending=None if reader is None else await service.oversee.pending(reader),
        sources=[] if lister is None else await service.keep_sources.list(lister),
    )
