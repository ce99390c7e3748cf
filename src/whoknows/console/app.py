"""The console as an application of its own, mounted beside the REST interface and served by the same process."""

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from whoknows.console import faults
from whoknows.console.attempts import Attempts
from whoknows.console.drawn import Drawn
from whoknows.console.facts import Facts
from whoknows.console.headers import ProtectiveHeaders
from whoknows.console.pages import (
    admin,
    bureau,
    chat,
    gate,
    home,
    knows,
    live,
    memory,
    preferences,
    programs,
    prompts,
    sign_in,
    sources,
    system,
)
from whoknows.console.paths import CONSOLE
from whoknows.console.render import Renderer
from whoknows.console.static import VersionedFiles
from whoknows.console.watching import Watching
from whoknows.errors import WhoKnowsError
from whoknows.service import Service

PAGES = (sign_in, home, preferences, live, chat, prompts, bureau, memory, system, admin, gate, sources, knows, programs)


def create_console(service: Service, facts: Facts) -> FastAPI:
    """The pages over ``service``. It calls flows as the REST interface does, and owns no rule of its own."""
    console = FastAPI(title="WhoKnows console", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    console.state.service = service
    console.state.facts = facts
    console.state.renderer = Renderer(facts.version)
    console.state.attempts = Attempts()
    console.state.watching = Watching()
    console.state.drawn = Drawn()
    for page in PAGES:
        console.include_router(page.router)
    console.mount("/static", VersionedFiles())
    console.add_middleware(ProtectiveHeaders)
    console.add_exception_handler(WhoKnowsError, faults.told)
    console.add_exception_handler(RequestValidationError, faults.invalid)
    console.add_exception_handler(HTTPException, faults.http)
    console.add_exception_handler(Exception, faults.unforeseen)
    return console


def add_console(app: FastAPI, console: FastAPI) -> None:
    """Mount ``console`` in ``app``; the bare address, and the one without a slash at its end, lead to it."""

    async def home(_: Request) -> Response:
        return RedirectResponse(f"{CONSOLE}/", 303)

    app.mount(CONSOLE, console)
    for address in ("/", CONSOLE):
        app.add_route(address, home, include_in_schema=False)
