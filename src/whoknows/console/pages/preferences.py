"""What a person chooses for every page: language, theme, whom to act as, whose eyes to see with, and the project."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.guard import Guarded, OpenForm
from whoknows.console.paths import CONSOLE, within
from whoknows.console.viewer import LANGUAGE_COOKIE, THEME_COOKIE, THEMES, service_of, viewer_of
from whoknows.console.words import Language
from whoknows.errors import Invalid

_YEAR = 365 * 24 * 3600
router = APIRouter(route_class=OpenForm)
guarded = APIRouter(route_class=Guarded)
Back = Annotated[str, Form()]


@router.post("/preferences")
async def prefer(
    language: Annotated[str | None, Form()] = None, theme: Annotated[str | None, Form()] = None, back: Back = ""
) -> Response:
    """Open to those who have not signed in: it changes nothing but two cookies that say nothing of anybody."""
    answer = RedirectResponse(within(back), 303)
    for cookie, value, known in ((LANGUAGE_COOKIE, language, set(map(str, Language))), (THEME_COOKIE, theme, set(THEMES))):
        if value is None:
            continue
        if value not in known:
            raise Invalid(f"this is none of {', '.join(sorted(known))}", field=cookie.removeprefix("whoknows_"))
        answer.set_cookie(cookie, value, max_age=_YEAR, path=CONSOLE, httponly=True, samesite="strict")
    return answer


@guarded.post("/acting")
async def act(request: Request, acting: Annotated[str, Form()], back: Back = "") -> Response:
    """As which of its principals a key for several acts from now on; it sees with its own eyes again."""
    await service_of(request).sign_in.choose(viewer_of(request).session, acting=acting, eyes=None)
    return RedirectResponse(within(back), 303)


@guarded.post("/eyes")
async def look_through(request: Request, eyes: Annotated[str, Form()] = "", back: Back = "") -> Response:
    """Whose world the pages show. Empty: one's own again."""
    await service_of(request).sign_in.choose(viewer_of(request).session, eyes=eyes or None)
    return RedirectResponse(within(back), 303)


@guarded.post("/project")
async def choose_project(request: Request, project: Annotated[str, Form()] = "", back: Back = "") -> Response:
    """Which project the pages are about. Empty: none."""
    await service_of(request).sign_in.choose(viewer_of(request).session, project=project.strip() or None)
    return RedirectResponse(within(back), 303)


router.include_router(guarded)
