"""The lobby of the Bureau: open a case from a script, or come back to one by its key."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from whoknows.console.attempts import Attempts
from whoknows.console.case_doors import BUREAU, CASE_COOKIE, STAGE, STAGE_COOKIE, must_be_of_a_case
from whoknows.console.guard import Guarded, leads_to
from whoknows.console.pages.sign_in import keep_session
from whoknows.console.render import render
from whoknows.console.viewer import is_part, language_of, service_of, viewer_of
from whoknows.domain.script import Language
from whoknows.errors import Invalid, NotFound

router = APIRouter(route_class=Guarded)


@router.get("/bureau/cases")
async def lobby(request: Request) -> Response:
    return render(
        request,
        "bureau/lobby.html",
        scripts=service_of(request).cases.scripts.all(),
        spoken=Language(language_of(request)),
        may_open=viewer_of(request).may("create_tenants"),
    )


@router.post("/bureau/cases")
async def open_case(request: Request, script: Annotated[str, Form()] = "", language: Annotated[str, Form()] = "") -> Response:
    """The operator's key is made now, shown on this answer alone, and its session is opened on the server."""
    if language not in set(Language):
        raise Invalid("a case is played in zh or en", field="language")
    service = service_of(request)
    made = await service.cases.open(viewer_of(request).session.credential, script, Language(language))
    token, _ = await service.sign_in.open(made.secret)
    page = "bureau/opened_part.html" if is_part(request) else "bureau/opened.html"
    answer = render(request, page, status=201, case=made.case, secret=made.secret)
    await keep_session(request, answer, CASE_COOKIE, token, BUREAU)
    return answer


@router.post("/bureau/enter")
async def enter(request: Request, key: Annotated[str, Form()] = "") -> Response:
    """With the key of a case's operator to its table, with a key that only shows to its stage."""
    return await enter_with(request, key)


async def enter_with(request: Request, key: str) -> Response:
    """A session for ``key``, kept where its part of the case begins. Raises Unauthenticated and NotFound."""
    attempts: Attempts = request.app.state.attempts
    address = request.client.host if request.client else ""
    attempts.begin(address)
    sign_in = service_of(request).sign_in
    token, session = await sign_in.open(key.strip())
    attempts.passed(address)
    try:
        part = await must_be_of_a_case(request, session.credential)
    except NotFound:
        await sign_in.close(token)
        raise
    operator = part == "operator"
    answer = leads_to(request, BUREAU if operator else STAGE)
    await keep_session(request, answer, CASE_COOKIE if operator else STAGE_COOKIE, token, BUREAU if operator else STAGE)
    return answer
