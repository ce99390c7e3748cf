"""Evidence for a question to the master agent: what answers it among the memories of its account and project."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from whoknows.domain.conversation import Source
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory, State
from whoknows.domain.trace import Space
from whoknows.flows.aim import Aim
from whoknows.flows.limits import Limits
from whoknows.flows.recall import CANDIDATES, arms_of
from whoknows.policy.accounts import project_scope, project_spaces
from whoknows.policy.standing import scope_for
from whoknows.ports import Store, Tx
from whoknows.recall.pipeline import recall
from whoknows.recall.tokens import question_terms

MOST = 8
"""Memories under one answer."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A memory under an answer, as it is now. ``score`` in [0, 1], where it was measured against the question."""

    memory: Memory
    score: float | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """What reached the calibrated floor, best first; maybe nothing. ``figures`` are for the trace: ids and numbers."""

    cited: tuple[Cited, ...]
    searched: tuple[Space, ...]
    figures: Mapping[str, Any]
    degraded: str | None


@dataclass(frozen=True, slots=True)
class FindEvidence:
    store: Store
    aim: Aim
    limits: Limits

    async def __call__(self, caller: Caller, project_id: str, message: str) -> Evidence:
        """Searched is what a context of this project may draw from; of other projects nothing. No words widen that."""
        question = _cut(message, self.limits.question_bytes)
        aimed, degraded = await self.aim.attempt(caller, question)
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = project_scope(standing)
            filters = Filters(project_id=project_id, or_global=True)
            found = await tx.arms.search(scope, question_terms(question), aimed.vector if aimed else None, filters, CANDIDATES)
            ranked = recall(arms_of(question, found, aimed), limit=MOST)
            loaded = {m.id: m for m in await tx.memories.load(scope, [MemoryId(h.memory) for h in ranked.hits])}
        hits = [h for h in ranked.hits if h.memory in loaded]
        return Evidence(
            cited=tuple(Cited(loaded[MemoryId(h.memory)], round(h.score, 4)) for h in hits),
            searched=project_spaces(standing),
            figures={
                "floor": ranked.floor,
                "visible": found.visible,
                "hits": [{"id": str(h.memory), "score": round(h.score, 4), "bm25": h.bm25, "cosine": h.cosine} for h in hits],
                "dropped": [{"id": str(d.memory), "score": round(d.score, 4), "why": d.reason} for d in ranked.dropped[:20]],
            },
            degraded=degraded,
        )


async def cited(tx: Tx, sources: Sequence[Source]) -> tuple[Cited, ...]:
    """What an answer rested on, as far as the reader may see it today, in its order."""
    if not sources:
        return ()
    scope = scope_for(await tx.directory.standing())
    found = {m.id: m for m in await tx.memories.load(scope, [s.memory for s in sources])}
    return tuple(Cited(found[s.memory], s.score) for s in sources if s.memory in found)


def current(those: Sequence[Cited]) -> list[Memory]:
    """Of ``those``, the memories that still stand."""
    return [c.memory for c in those if c.memory.state is State.ACTIVE]


def _cut(text: str, most_bytes: int) -> str:
    """The beginning of ``text``: what is longer than a question may be is searched by its beginning."""
    return text.encode()[:most_bytes].decode(errors="ignore")
