"""Conversations as they are read: the page, one turn of it, what an answer rests on, and what was kept of it."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.pages.chat.door import OfAccount
from whoknows.console.pages.chat.room import TALKS, room_of
from whoknows.console.paths import CONSOLE
from whoknows.console.render import part_or_page, render
from whoknows.console.viewer import facts_of, reader_of, service_of, viewer_of
from whoknows.context.findings import excerpt
from whoknows.domain.conversation import Conversation, ConversationId, MessageId
from whoknows.errors import NotFound
from whoknows.flows.conversations import Conversed, Turn

TURNS = 20
LOOKS = 20
"""So often a page asks what was kept of a turn: it takes a moment, and not for ever."""
_FRESH = timedelta(minutes=5)
router = APIRouter(route_class=OfAccount)


@router.get("/chat")
async def begin(request: Request) -> Response:
    """A conversation that has not begun, in the chosen project; without one, projects to choose from."""
    room = await room_of(request, await reader_of(request), viewer_of(request).project)
    return render(request, "chat/page.html", room=room, conversation=None, older=None, **_turns(request, None, []))


@router.get("/chat/talks")
async def talks(
    request: Request, before: Annotated[UUID | None, Query()] = None, current: Annotated[UUID | None, Query()] = None
) -> Response:
    """The conversations of the chosen project, as they are now, or those before one of them."""
    cursor = None if before is None else str(before)
    found = await service_of(request).conversations.list(await reader_of(request), viewer_of(request).project, TALKS, cursor)
    page = part_or_page(request, "chat/talks")
    return render(request, page, talks=found, current=str(current or ""), further=before is not None)


@router.get("/chat/{conversation}")
async def read(request: Request, conversation: UUID, before: Annotated[UUID | None, Query()] = None) -> Response:
    caller = await reader_of(request)
    found = await _conversed(request, conversation, before)
    project = found.conversation.project_id
    if project != viewer_of(request).project and viewer_of(request).eyes is None:
        # Prompts and memories beside it are of one project: the one that is being talked in.
        await service_of(request).sign_in.choose(viewer_of(request).session, project=project)
        return RedirectResponse(f"{CONSOLE}/chat/{conversation}", 303)
    room = await room_of(request, caller, project)
    return render(
        request, "chat/page.html", room=room, conversation=found.conversation, older=found.next_cursor,
        **_turns(request, found.conversation, found.turns),
    )  # fmt: skip


@router.get("/chat/{conversation}/turns")
async def turns(request: Request, conversation: UUID, before: Annotated[UUID | None, Query()] = None) -> Response:
    """The newest, or those before one of them."""
    found = await _conversed(request, conversation, before)
    return render(request, "chat/turns.html", older=found.next_cursor, **_turns(request, found.conversation, found.turns))


@router.get("/chat/{conversation}/about")
async def about(request: Request, conversation: UUID) -> Response:
    caller = await reader_of(request)
    found = await service_of(request).conversations.about(caller, ConversationId(conversation))
    trace = None
    if found.latest is not None and found.latest.trace is not None:
        with suppress(NotFound):  # of who asked: where another of the account did, the rest is told all the same
            trace = await service_of(request).follow.trace(caller, found.latest.trace)
    return render(request, part_or_page(request, "chat/about"), about=found, trace=trace, model=facts_of(request).model)


@router.get("/chat/{conversation}/{message}")
async def turn(request: Request, conversation: UUID, message: UUID) -> Response:
    return render(request, "chat/one.html", **_turns(request, *await _turn(request, conversation, message)))


@router.get("/chat/{conversation}/{message}/sources")
async def sources(request: Request, conversation: UUID, message: UUID) -> Response:
    """The memories under an answer as cards: within the page, or as one of their own where scripts do not run."""
    given = ConversationId(conversation), MessageId(message)
    found = await service_of(request).conversations.sources(await reader_of(request), *given)
    return render(request, part_or_page(request, "chat/sources"), cited=found, conversation_id=conversation, message_id=message)


@router.get("/chat/{conversation}/{message}/kept")
async def kept(
    request: Request, conversation: UUID, message: UUID, looked: Annotated[int, Query(ge=0, le=1000)] = 0
) -> Response:
    found = await _turn(request, conversation, message)
    return render(request, "chat/kept_now.html", looked=looked + 1, **_turns(request, *found))


async def _conversed(request: Request, conversation: UUID, before: UUID | None) -> Conversed:
    caller, cursor = await reader_of(request), None if before is None else str(before)
    return await service_of(request).conversations.get(caller, ConversationId(conversation), TURNS, cursor)


async def _turn(request: Request, conversation: UUID, message: UUID) -> tuple[Conversation, Sequence[Turn]]:
    given = ConversationId(conversation), MessageId(message)
    whole, turn = await service_of(request).conversations.turn(await reader_of(request), *given)
    return whole, [turn]


def _turns(request: Request, conversation: Conversation | None, turns: Sequence[Turn]) -> dict[str, Any]:
    return {
        "turns": turns,
        "conversation_id": None if conversation is None else conversation.id,
        "project": None if conversation is None else conversation.project_id,
        "model": facts_of(request).model,
        "acts": viewer_of(request).eyes is None,
        "excerpt": excerpt,
        "fresh_since": datetime.now(UTC) - _FRESH,
        "most_looks": LOOKS,
    }
