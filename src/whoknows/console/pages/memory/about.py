"""One memory's own page: the whole of it, who may know it and by which rule, where it comes from, and what became of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.console import reasons
from whoknows.console.guard import Guarded
from whoknows.console.render import render
from whoknows.console.viewer import reader_of, service_of
from whoknows.console.word_changes import Piece, word_changes
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Version

router = APIRouter(route_class=Guarded)
READERS = 50
"""As many are listed; the page of who knows what has them all."""
VERSIONS = 50
"""The newest; the others are counted."""
_AROUND, _CHANGED = 80, 2_000
"""Characters that are shown beside what changed, and of what changed."""
BECAME = ("stored", "merged", "superseding", "held")


@dataclass(frozen=True, slots=True)
class Step:
    """A version, and what it changed of the one before: names of fields, and the text piece by piece."""

    version: Version
    fields: tuple[str, ...]
    text: Sequence[Piece]


@router.get("/memory/{memory}")
async def page(request: Request, memory: UUID, became: str = "") -> Response:
    """``became``: what the gate made of it, where it was written just now."""
    caller = await reader_of(request)
    service, this = service_of(request), MemoryId(memory)
    kept = await service.browse.one(caller, this)
    known = await service.survey.everyone(caller, this)
    history = await service.read.history(caller, this)
    return render(
        request,
        "memory/about.html",
        kept=kept,
        became=became if became in BECAME else "",
        known=known,
        reasons=reasons,
        verdicts=known.verdicts[:READERS],
        more=len(known.verdicts) - READERS,
        traced=await service.trace_memory(caller, this),
        steps=steps(history.versions),
        earlier=len(history.versions) - VERSIONS,
        chain=history.chain if len(history.chain) > 1 else (),
    )


def steps(versions: Sequence[Version]) -> list[Step]:
    """Newest first, as the versions come."""
    found: list[Step] = []
    for version, before in zip_longest(versions[:VERSIONS], versions[1 : VERSIONS + 1]):
        if before is None:
            found.append(Step(version, (), ()))
            continue
        fields = [f for f in ("title", "category", "tags") if getattr(version, f) != getattr(before, f)]
        same = version.content == before.content
        pieces = [] if same else [_shown(p) for p in word_changes(before.content, version.content)]
        found.append(Step(version, tuple(fields), pieces))
    return found


def _shown(piece: Piece) -> Piece:
    """Long texts are told by what changed in them."""
    if piece.what != "kept":
        return Piece(piece.what, _shortened(piece.text, _CHANGED))
    if len(piece.text) <= 3 * _AROUND:
        return piece
    return Piece("kept", f"{piece.text[:_AROUND]} … {piece.text[-_AROUND:]}")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} …"
