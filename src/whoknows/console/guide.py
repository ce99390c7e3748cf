"""The guide for who tries it out: five steps at the top of the pages that they lead through, until it is closed."""

from starlette.requests import HTTPConnection
from starlette.responses import Response

from whoknows.console.paths import CONSOLE
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.session import Session

GUIDE_COOKIE = "whoknows_guide"
"""Says that the guide is open, and whether a reason was read; nothing of anybody."""
OPEN, READ = "open", "read"
_ROOMS = (f"{CONSOLE}/memory", f"{CONSOLE}/knows")


def guided(request: HTTPConnection, session: Session | None) -> tuple[Principal, Principal] | None:
    """The two agents that the guide is about; None where it is closed, where it has no place, or where the key is another."""
    if session is None or request.cookies.get(GUIDE_COOKIE) not in (OPEN, READ):
        return None
    return two_agents(session) if request.url.path.startswith(_ROOMS) else None


def keep_guide(answer: Response, value: str) -> None:
    answer.set_cookie(GUIDE_COOKIE, value, path=CONSOLE, httponly=True, samesite="strict")


def reason_read(request: HTTPConnection, answer: Response) -> Response:
    """``answer`` says why somebody may know something: with that the guide's last step is done."""
    if request.cookies.get(GUIDE_COOKIE) == OPEN:
        keep_guide(answer, READ)
    return answer


def two_agents(session: Session) -> tuple[Principal, Principal] | None:
    """The first two that the session may act as, by their ids: in the order in which they were made."""
    agents = sorted((p for p in session.credential.acts_as if p.kind is Kind.AGENT), key=lambda p: p.id)
    return (agents[0], agents[1]) if len(agents) > 1 else None
