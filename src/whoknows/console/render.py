"""Pages from templates: what every template may use, and the answer that a page becomes."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, cast

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse

from whoknows.console import look
from whoknows.console.guide import guided
from whoknows.console.paths import CONSOLE
from whoknows.console.static import asset
from whoknows.console.viewer import Viewer, is_part, language_of, theme_of
from whoknows.console.words import words


class Renderer:
    """The environment of the templates: everything is escaped, and a name that is not there is a fault."""

    def __init__(self, version: str) -> None:
        self._environment = Environment(
            loader=PackageLoader("whoknows.console"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        shared: dict[str, Any] = {
            "asset": asset,
            "console": CONSOLE,
            "version": version,
            "look": look.of,
            "sign_of": look.sign_of,
            "moment": moment,
            "iso": iso,
        }
        cast(dict[str, Any], self._environment.globals).update(shared)

    def __call__(self, template: str, values: Mapping[str, Any]) -> str:
        return self._environment.get_template(template).render(values)


def render(
    request: Request, template: str, *, status: int = 200, headers: Mapping[str, str] | None = None, **values: object
) -> HTMLResponse:
    """The page ``template``. It finds ``t`` (words), ``viewer`` (None before signing in), ``language``, ``theme``, ``here``."""
    language, viewer = language_of(request), viewer_or_none(request)
    given = {
        "t": words(language),
        "language": language,
        "theme": theme_of(request),
        "here": request.url.path,
        "viewer": viewer,
        "guide": guided(request, None if viewer is None else viewer.session),
        **values,
    }
    answer = HTMLResponse(cast(Renderer, request.app.state.renderer)(template, given), status)
    MutableHeaders(raw=answer.raw_headers).update(dict(headers or {}))
    return answer


def part_or_page(request: Request, name: str) -> str:
    """The template ``name`` for a page that asks for a part of itself, else the page around that part."""
    return f"{name}.html" if is_part(request) else f"{name}_page.html"


def viewer_or_none(request: Request) -> Viewer | None:
    return getattr(request.state, "viewer", None)


def moment(at: datetime | None) -> str:
    """To the minute, in UTC; the page turns it into the reader's own time."""
    return "" if at is None else f"{at:%Y-%m-%d %H:%M}"


def iso(at: datetime | None) -> str:
    return "" if at is None else at.isoformat()
