"""One memory among others: its card with what may be done, alone as the answer to what was done, and pages of a single part."""

from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from whoknows.console.guard import leads_to
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, words_of
from whoknows.domain.ids import MemoryId
from whoknows.flows.browse import Kept

MEMORY = f"{CONSOLE}/memory"


def place(memory: UUID) -> str:
    """The page of one memory."""
    return f"{MEMORY}/{memory}"


async def kept(request: Request, memory: UUID) -> Kept:
    """As the reader of the page sees it; NotFound as ever."""
    return await service_of(request).browse.one(await reader_of(request), MemoryId(memory))


async def done(request: Request, memory: UUID, alone: str, told: str, panel: str = "") -> Response:
    """After something was done with a memory: its card where it stands among others, else its page.

    ``told`` is the key of a sentence that says what was done, if anything was; ``panel`` what stays open below the card.
    """
    if alone or not is_part(request):
        return leads_to(request, place(memory))
    return render(
        request, "memory/item.html", kept=await kept(request, memory), told=told and words_of(request)(told), panel=panel
    )


def part(request: Request, template: str, title: str, status: int = 200, **values: Any) -> Response:
    """A part for the page that asked, and the same part as a page of its own."""
    if is_part(request):
        return render(request, template, status=status, **values)
    return render(request, "memory/alone.html", status=status, part=template, title=words_of(request)(title), **values)
