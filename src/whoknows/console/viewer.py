"""Who looks at a page: the session, the principal that it acts as, and the eyes that it looks through."""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from starlette.requests import HTTPConnection, Request

from whoknows.console.facts import Facts
from whoknows.console.paths import CONSOLE
from whoknows.console.words import Language, Words, spoken, words
from whoknows.domain.credential import Caller, Permission
from whoknows.domain.session import Session
from whoknows.errors import AgentRequired
from whoknows.service import Service

LANGUAGE_COOKIE, THEME_COOKIE = "whoknows_language", "whoknows_theme"
Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")


@dataclass(frozen=True, slots=True)
class Viewer:
    """``looks`` gives each space (``agent:x``) the number of its colour and shape."""

    session: Session
    token: str
    looks: Mapping[str, int]

    @property
    def csrf(self) -> str:
        """What every form of this session carries. It tells nothing of the cookie."""
        return csrf_of(self.token)

    @property
    def project(self) -> str | None:
        return self.session.project

    @property
    def eyes(self) -> str | None:
        return self.session.eyes

    @property
    def spaces(self) -> list[str]:
        """The principals that it may act as."""
        return [p.space for p in self.session.credential.acts_as]

    @property
    def acting(self) -> str | None:
        """The principal that it acts as; None while a key for several has not said which one, or acts as nobody."""
        spaces = self.spaces
        return spaces[0] if len(spaces) == 1 else self.session.acting

    def may(self, permission: str) -> bool:
        return Permission(permission) in self.session.credential.permissions


def csrf_of(token: str) -> str:
    return hmac.new(token.encode(), b"whoknows console form", hashlib.sha256).hexdigest()


def service_of(request: HTTPConnection) -> Service:
    return request.app.state.service


def facts_of(request: HTTPConnection) -> Facts:
    return request.app.state.facts


def viewer_of(request: HTTPConnection) -> Viewer:
    """Set by the guard before the page begins."""
    return request.state.viewer


async def reader_of(request: Request) -> Caller:
    """Whose memories the page shows: those of the chosen eyes (which is audited), or one's own. Raises AgentRequired or
    PermissionMissing where the session acts as nobody."""
    return await service_of(request).sign_in.reader(viewer_of(request).session, route_of(request))


def route_of(request: Request) -> str:
    """As the audit trail notes it: a pattern, without any id or name."""
    return f"{request.method} {CONSOLE}{getattr(request.scope.get('route'), 'path', '')}"


def writer_of(request: Request) -> Caller:
    """The principal that acts. With the eyes of another, nothing is done: Forbidden."""
    return service_of(request).sign_in.caller(viewer_of(request).session)


def is_part(request: HTTPConnection) -> bool:
    """Whether a part of a page is asked for, by the page itself, and not a page by the browser."""
    return "hx-request" in request.headers


def is_nobody(viewer: Viewer) -> bool:
    """Whether its key only administers."""
    return not viewer.spaces and viewer.eyes is None


def must_choose(viewer: Viewer) -> None:
    """Raises AgentRequired while a key for several has not said which one."""
    if viewer.acting is None and viewer.eyes is None and viewer.spaces:
        raise AgentRequired(field="acting")


def language_of(request: HTTPConnection) -> Language:
    chosen = request.cookies.get(LANGUAGE_COOKIE)
    return Language(chosen) if chosen in set(Language) else spoken(request.headers.get("accept-language", ""))


def words_of(request: HTTPConnection) -> Words:
    return words(language_of(request))


def theme_of(request: HTTPConnection) -> Theme:
    chosen = request.cookies.get(THEME_COOKIE)
    match chosen:
        case "light" | "dark":
            return chosen
        case _:
            return "auto"
