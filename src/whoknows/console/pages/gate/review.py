"""Review: what waits, one after the other, each beside its sources; it is admitted, in other words too, or refused."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.closed_door import closed_door
from whoknows.console.excerpt import Shown, shown
from whoknows.console.findings import Told, told
from whoknows.console.guard import Guarded
from whoknows.console.pages.gate.room import GATE, PAGE, identity, known_did
from whoknows.console.render import render
from whoknows.console.viewer import is_part, reader_of, service_of, viewer_of, words_of, writer_of
from whoknows.console.words import Words
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import Kind
from whoknows.domain.provenance import Traced
from whoknows.errors import AlreadySuperseded, Conflict, Finding, NotFound, VersionConflict
from whoknows.flows.examine import Examined
from whoknows.rest.parameters import MemoryRef

router = APIRouter(prefix="/gate", route_class=Guarded)
Hidden = Annotated[str, Form()]
Own = Annotated[str | None, Form()]
Version = Annotated[int, Form()]

DONE = ("stored", "merged", "superseding", "refused", "meanwhile", "changed", "stale", "own_words")


@dataclass(frozen=True, slots=True)
class _Said:
    """What is said above the queue. ``is_fault``: it did not work."""

    did: str
    findings: tuple[Finding, ...] = ()

    @property
    def is_fault(self) -> bool:
        return self.did in ("meanwhile", "changed", "stale")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A piece of evidence as it is shown."""

    traced: Traced
    lines: Sequence[Shown]
    fault: Told | None


@router.get("")
async def room(request: Request, did: str | None = None, after: str | None = None) -> Response:
    return await _room(request, None, _said(did), after or None)


@router.get("/news")
async def news(request: Request, after: str | None = None) -> Response:
    """How many wait that came after one: what was captured elsewhere, and does not wait, is no news here."""
    door = closed_door(request, "gate", tab="review")
    if door is not None:
        return door
    page = await service_of(request).review.waiting(await reader_of(request), PAGE, after or None)
    return render(request, "gate/news.html", n=len(page.items))


@router.get("/review/{memory_id}")
async def draft(request: Request, memory_id: MemoryRef, did: str | None = None, after: str | None = None) -> Response:
    return await _room(request, MemoryId(memory_id), _said(did), after or None)


@router.post("/review/{memory_id}/admit")
async def admit(
    request: Request,
    memory_id: MemoryRef,
    version: Version,
    following: Hidden = "",
    after: Hidden = "",
    text: Own = None,
    title: Own = None,
) -> Response:
    """As it was written, or (with ``text``) in the reviewer's own words."""
    caller, memory = writer_of(request), MemoryId(memory_id)
    try:
        done = await service_of(request).review.admit(caller, memory, version, text, title)
    except AlreadySuperseded:
        return await _on(request, str(memory), after, _Said("stale"))
    except VersionConflict:
        return await _on(request, str(memory), after, _Said("changed"))
    except (Conflict, NotFound):
        return await _on(request, following, after, _Said("meanwhile"))
    own = text is not None and done.outcome == "stored"
    return await _on(request, following, after, _Said("own_words" if own else done.outcome, done.findings))


@router.post("/review/{memory_id}/refuse")
async def refuse(
    request: Request, memory_id: MemoryRef, reason: Hidden = "", following: Hidden = "", after: Hidden = ""
) -> Response:
    caller = writer_of(request)
    try:
        await service_of(request).review.reject(caller, MemoryId(memory_id), reason)
    except (Conflict, NotFound):
        return await _on(request, following, after, _Said("meanwhile"))
    return await _on(request, following, after, _Said("refused"))


def _said(did: str | None) -> _Said | None:
    known = known_did(did, DONE)
    return None if known is None else _Said(known)


async def _on(request: Request, following: str, after: str, said: _Said) -> Response:
    """To the next one: the room again for a page that asked by itself, else by its address."""
    following = str(identity(following)) if following else ""
    if is_part(request):
        return await _room(request, MemoryId(identity(following)) if following else None, said, after or None)
    where = f"/review/{following}" if following else ""
    return RedirectResponse(f"{GATE}{where}?did={said.did}", 303)


async def _room(request: Request, chosen: MemoryId | None, said: _Said | None, after: str | None) -> Response:
    door = closed_door(request, "gate", tab="review")
    if door is not None:
        return door
    caller, service = await reader_of(request), service_of(request)
    waiting = await service.review.waiting(caller, PAGE, after)
    examined = None if chosen is None else await _examined(request, caller, chosen)
    if chosen is not None and examined is None and said is None:
        if not is_part(request) and not await _was_decided(request, caller, chosen):
            raise NotFound("there is no such memory")
        said = _Said("meanwhile")
    for candidate in waiting.items:
        examined = examined or await _examined(request, caller, candidate.id)
    words = words_of(request)
    return render(
        request,
        "gate/review_room.html" if is_part(request) else "gate/review.html",
        tab="review",
        waiting=waiting,
        after=after or "",
        examined=examined,
        pieces=_pieces(examined, words),
        why=told(examined.findings, words) if examined else [],
        following=_beside(waiting.items, examined, 1),
        previous=_beside(waiting.items, examined, -1),
        said=said,
        said_findings=told(said.findings, words) if said else [],
        may_act=viewer_of(request).eyes is None,
        is_member=caller.principal is not None and caller.principal.kind is Kind.MEMBER,
    )


async def _examined(request: Request, caller: Caller, memory: MemoryId) -> Examined | None:
    """None for what another has decided about meanwhile."""
    try:
        return await service_of(request).examine(caller, memory)
    except (NotFound, Conflict):
        return None


async def _was_decided(request: Request, caller: Caller, memory: MemoryId) -> bool:
    """Whether it is there and does not wait: what is hidden is absent, and says nothing of decisions."""
    try:
        return (await service_of(request).read.get(caller, memory)).state is not State.HELD
    except NotFound:
        return False


def _pieces(examined: Examined | None, words: Words) -> list[_Piece]:
    return [
        _Piece(
            p.traced,
            shown(p.traced.around, p.traced.evidence.quote, p.traced.lines),
            told([p.finding], words)[0] if p.finding else None,
        )
        for p in (examined.pieces if examined else ())
    ]


def _beside(waiting: Sequence[Memory], examined: Examined | None, step: int) -> str:
    """The id of the one before or after it in the queue; empty where there is none."""
    ids = [m.id for m in waiting]
    if examined is None or examined.memory.id not in ids:
        return ""
    at = ids.index(examined.memory.id) + step
    return str(ids[at]) if 0 <= at < len(ids) else ""
