"""Signing in with a key, and out again."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.attempts import Attempts
from whoknows.console.case_doors import BUREAU, STAGE, STAGE_COOKIE, part_of
from whoknows.console.faults import sentence
from whoknows.console.guard import SESSION_COOKIE, Guarded, OpenForm, leads_to
from whoknows.console.paths import CONSOLE, SIGN_IN
from whoknows.console.render import render
from whoknows.console.viewer import service_of, viewer_of
from whoknows.errors import Unauthenticated

router = APIRouter(route_class=OpenForm)
guarded = APIRouter(route_class=Guarded)


@router.get("/sign-in")
async def form(request: Request) -> Response:
    return render(request, "sign_in/form.html", refused=None)


@router.post("/sign-in")
async def sign_in(request: Request, key: Annotated[str, Form()] = "") -> Response:
    """The key comes in the body and goes no further: the browser keeps a session that dies with the key."""
    attempts: Attempts = request.app.state.attempts
    address = request.client.host if request.client else ""
    attempts.begin(address)
    try:
        token, session = await service_of(request).sign_in.open(key.strip())
    except Unauthenticated as fault:
        return render(request, "sign_in/form.html", status=401, refused=sentence(request, fault))
    attempts.passed(address)
    part = await part_of(request, session.credential)
    if part == "show":  # it opens the stage, and no other door
        answer = RedirectResponse(STAGE, 303)
        await keep_session(request, answer, STAGE_COOKIE, token, STAGE)
        return answer
    answer = RedirectResponse(BUREAU if part == "operator" else f"{CONSOLE}/", 303)
    await keep_session(request, answer, SESSION_COOKIE, token, CONSOLE)
    return answer


@guarded.post("/sign-out")
async def sign_out(request: Request) -> Response:
    await service_of(request).sign_in.close(viewer_of(request).token)
    answer = leads_to(request, SIGN_IN)
    answer.delete_cookie(SESSION_COOKIE, path=CONSOLE)
    return answer


async def keep_session(request: Request, answer: Response, cookie: str, token: str, path: str) -> None:
    """Out of reach of scripts and of other sites; over plain HTTP only where there is nothing else, on loopback.

    The session that the browser had in this place ends: nobody can come back to it.
    """
    former = request.cookies.get(cookie)
    if former is not None and former != token:
        await service_of(request).sign_in.close(former)
    answer.set_cookie(
        cookie, token, path=path, httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )  # fmt: skip


router.include_router(guarded)
