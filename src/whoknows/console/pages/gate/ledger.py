"""The ledger: what the reader wanted written and what did not go in, with the reason and without the text."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.console.closed_door import closed_door
from whoknows.console.findings import told
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import PAGE
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, words_of

router = APIRouter(prefix="/gate", route_class=Guarded)


@router.get("/ledger")
async def ledger(request: Request, after: str | None = None) -> Response:
    door = closed_door(request, "gate", tab="ledger")
    if door is not None:
        return door
    page = await service_of(request).ledger.page(await reader_of(request), PAGE, after)
    words = words_of(request)
    return render(
        request,
        "gate/ledger_rows.html" if is_part(request) else "gate/ledger.html",
        tab="ledger",
        entries=[(f, told(f.findings, words)) for f in page.items],
        next_cursor=page.next_cursor,
        is_first=after is None,
    )
