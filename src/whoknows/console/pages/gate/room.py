"""The room of the gate: what its five pages share."""

from collections.abc import Sequence
from uuid import UUID

from fastapi import Request
from starlette.responses import Response

from whoknows.console.guard import leads_to
from whoknows.console.paths import CONSOLE
from whoknows.console.viewer import Viewer, service_of
from whoknows.domain.principal import parse_space
from whoknows.errors import NotFound

PAGE = 50
"""Rows of one page."""
GATE = f"{CONSOLE}/gate"


def back(request: Request, path: str, did: str) -> Response:
    """After something was done: the page again, which says so. ``did`` names what, and holds no text of anybody."""
    return leads_to(request, f"{path}?did={did}")


def known_did(did: str | None, among: Sequence[str]) -> str | None:
    """What an address says was done, if it is something that this page says."""
    return did if did in among else None


def identity(text: str) -> UUID:
    """An id out of a form. What is none is absent, like one that was never given out."""
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None


async def own_teams(request: Request, viewer: Viewer) -> list[tuple[str, str]]:
    """The teams that the acting principal may write to: (name, what people call it)."""
    named = None if viewer.acting is None else parse_space(viewer.acting)
    if named is None:
        return []
    teams = await service_of(request).administer.teams(viewer.session.credential)
    mine = [t for t in teams if any(m.principal.space == viewer.acting and m.role.writes for m in t.members)]
    return [(t.principal.name, t.display_name or t.principal.name) for t in mine]
