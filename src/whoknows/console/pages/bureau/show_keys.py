"""Keys for the stage alone, made at the table and shown once."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.case_doors import CaseDoor, of_case
from whoknows.console.render import render
from whoknows.console.viewer import is_part, service_of
from whoknows.errors import Invalid

HOURS = (2, 12, 24, 168)
"""How long a key for the stage may last; without an end it lasts as long as the operator's own."""
router = APIRouter(route_class=CaseDoor)


@router.post("/bureau/show-key")
async def make(request: Request, hours: Annotated[int, Form()] = 0) -> Response:
    if hours not in (0, *HOURS):
        raise Invalid("choose one of the times that the page offers", field="hours")
    ends = datetime.now(UTC) + timedelta(hours=hours) if hours else None
    credential = of_case(request).session.credential
    made = await service_of(request).cases.show_key(credential, credential.tenant, ends)
    page = "bureau/show_key_part.html" if is_part(request) else "bureau/show_key.html"
    return render(request, page, status=201, secret=made.secret, ends=ends)
