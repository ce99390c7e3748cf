"""Recall: a question brings what the reader may know, with evidence, or nothing."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from whoknows.domain.credential import Caller
from whoknows.domain.harness import Placed, Stage
from whoknows.domain.ids import MemoryId, new_trace_id
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.task import task_name
from whoknows.domain.trace import Space, Trace
from whoknows.errors import Invalid, NotYourTask, StoreFull
from whoknows.flows.aim import Aim
from whoknows.flows.destination import team_of
from whoknows.flows.limits import Limits, content
from whoknows.flows.read import narrowed_scope
from whoknows.flows.workplaces import Where, must_be_placed
from whoknows.policy.hooks import hook_scope, hook_spaces
from whoknows.policy.standing import ReadScope, Standing, own_and_everyones, scope_for, searched
from whoknows.policy.whose import Whose, narrowed_to, spaces_of
from whoknows.ports import Clock, Found, Store, Tx
from whoknows.recall.background import Aimed
from whoknows.recall.hits import Arms, DenseArm, Hit, QuestionTerm, Recalled
from whoknows.recall.pipeline import recall
from whoknows.recall.tokens import is_wide, question_terms

CANDIDATES = 100
"""What each arm brings at most."""
_DROPPED_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Question:
    """``min_score`` in [0, 1]: None is the calibrated default floor, 0 turns it off.

    ``own_and_everyones``: only the reader's own space and everyone's are searched, whatever else it may read. ``whose``: only
    those spaces of what it may read. ``place``: as a program that works there is answered, from its project and from what is of
    no project, in the banks of its stage; NotFound where nothing is registered.
    """

    text: str
    limit: int = 10
    min_score: float | None = None
    filters: Filters = field(default_factory=Filters)
    history: bool = False
    own_and_everyones: bool = False
    whose: Whose | None = None
    place: Where | None = None


@dataclass(frozen=True, slots=True)
class Answered:
    """A memory, how well it answers, and with ``history`` the chain it belongs to."""

    memory: Memory
    hit: Hit
    fused: float
    chain: Sequence[Memory] = ()


@dataclass(frozen=True, slots=True)
class Recollection:
    """``outcome`` is ok or no_match; ``degraded`` says what did not work, in a word, if something did not."""

    outcome: str
    trace: Trace
    searched: Sequence[Space]
    memories: Sequence[Answered]
    degraded: str | None


@dataclass(frozen=True, slots=True)
class Recall:
    store: Store
    aim: Aim
    limits: Limits
    clock: Clock

    async def __call__(self, caller: Caller, question: Question) -> Recollection:
        """Search the reader's own spaces, rank, and keep what reaches the floor. An embedder that fails leaves the words."""
        self._check(question)
        question = replace(question, text=self.limits.redaction.clean(question.text))
        began = time.perf_counter()
        asked_at = self.clock.now()
        terms = question_terms(question.text)
        aimed, degraded = await self.aim.attempt(caller, question.text)
        embedded = time.perf_counter()
        async with self.store.read(caller) as tx:
            session = question.filters.session_id
            standing = await tx.directory.standing(session, all_sessions=False)
            scope, filters = _scope(standing, question.filters)
            if question.own_and_everyones:
                scope = scope_for(standing, owners=own_and_everyones(standing))
            placed = await _placed(tx, standing, question.place)
            if placed is not None:
                scope = hook_scope(standing, placed)
                filters = replace(filters, project_id=placed.project_id, or_global=True)
            scope = narrowed_to(standing, scope, question.whose)
            team = None if question.filters.team_id is None else team_of(standing, question.filters.team_id).team.id
            found = await tx.arms.search(scope, terms, aimed.vector if aimed else None, filters, CANDIDATES)
            ranked = recall(arms_of(question.text, found, aimed), limit=question.limit, floor=question.min_score)
            everything = scope_for(standing)  # what is told of a hit is told within all that the reader may see
            loaded = {m.id: m for m in await tx.memories.load(everything, [MemoryId(h.memory) for h in ranked.hits])}
            answered = [Answered(loaded[MemoryId(h.memory)], h, h.score) for h in ranked.hits if h.memory in loaded]
            if question.history:
                answered = [replace(a, chain=await _chain(tx, everything, a.memory)) for a in answered]
        spaces = spaces_of(standing, searched(standing, scope, team), question.whose)
        if question.own_and_everyones:
            spaces = tuple(s for s in spaces if s.why in ("own", "everyone"))
        if placed is not None:
            spaces = hook_spaces(standing, placed)
        took = 1000 * (time.perf_counter() - began)
        trace = Trace(
            id=new_trace_id(),
            reader=standing.reader.space,
            question=question.text,
            asked_at=asked_at,
            searched=spaces,
            mode=mode_of(ranked, found),
            took_ms=round(took, 2),
            body=trace_body(found, terms, ranked, limit=question.limit, embed_ms=1000 * (embedded - began), degraded=degraded),
        )
        try:
            await self.store.add_trace(caller, trace)
        except StoreFull as fault:  # reading works without room; the trace is not there, and the answer says so
            degraded = degraded or fault.code
        return Recollection("ok" if answered else "no_match", _timed(trace, began), spaces, answered, degraded)

    def _check(self, question: Question) -> None:
        content(question.text, self.limits.question_bytes, "query")
        if not 1 <= question.limit <= self.limits.most_hits:
            raise Invalid(f"limit is between 1 and {self.limits.most_hits}", field="limit")
        if question.min_score is not None and not 0 <= question.min_score <= 1:
            raise Invalid("min_score is between 0 and 1", field="min_score")
        narrowed = question.filters
        if question.place is not None and (narrowed.project_id or narrowed.team_id or narrowed.session_id):
            raise Invalid(
                "a directory says project and banks: leave `project_id`, `team_id`, `session_id` out", field="directory"
            )


async def _placed(tx: Tx, standing: Standing, place: Where | None) -> Placed | None:
    """Where a project is off its hooks are silent; who asks by itself is answered from the personal bank."""
    if place is None:
        return None
    found = await must_be_placed(tx, standing, None, place.machine, place.directory)
    return found if found.stage.recalls else replace(found, stage=Stage.READ_ONLY)


def _scope(standing: Standing, filters: Filters) -> tuple[ReadScope, Filters]:
    # A session opens what is bound to it, and narrows nothing else; a task must be the reader's own.
    if filters.task_id is not None and filters.task_id != task_name(standing.task):
        raise NotYourTask(field="task_id")
    scope, narrowed = narrowed_scope(standing, filters)
    return scope, replace(narrowed, session_id=None, task_id=None, state=None)


def arms_of(text: str, found: Found, aimed: Aimed | None) -> Arms:
    """What the arms brought, as the pipeline takes it."""
    dense = None if aimed is None or found.dense is None else DenseArm(aimed.background, found.dense)
    return Arms(is_wide(text), found.visible, found.lexical, dense, found.cards, found.former)


async def _chain(tx: Tx, scope: ReadScope, memory: Memory) -> Sequence[Memory]:
    linked = memory.supersedes or memory.superseded_by or memory.part_of
    return await tx.memories.chain(scope, memory.id) if linked else ()


def mode_of(ranked: Recalled, found: Found) -> str:
    return f"{'+'.join(ranked.arms) or 'nothing'}{'' if found.exact else ' (approximate)'}"


def trace_body(
    found: Found, terms: Sequence[QuestionTerm], ranked: Recalled, *, limit: int, embed_ms: float, degraded: str | None
) -> dict[str, Any]:
    """Figures and ids, never a text of a memory. Words of the question are its asker's own."""
    frequencies = found.lexical.frequencies if found.lexical else ()
    return {
        "visible": found.visible,
        "floor": ranked.floor,
        "limit": limit,
        "degraded": degraded,
        "embed_ms": round(embed_ms, 2),
        "terms": [{"term": t.text, "weight": t.weight, "texts": f} for t, f in zip(terms, frequencies, strict=False)],
        "lexical": [
            {"id": str(h.memory), "bm25": round(h.bm25, 4)} for h in (found.lexical.hits if found.lexical else ())[:50]
        ],
        "dense": [{"id": str(h.memory), "cosine": round(h.cosine, 4)} for h in (found.dense or ())[:50]],
        "hits": [
            {
                "id": str(h.memory),
                "score": round(h.score, 4),
                "bm25": h.bm25,
                "cosine": h.cosine,
                "neighbour": {"id": str(h.neighbour)} if h.neighbour else None,
                "former": {"id": str(h.former)} if h.former else None,
            }
            for h in ranked.hits
        ],
        "dropped": [
            {"id": str(d.memory), "score": round(d.score, 4), "why": d.reason} for d in ranked.dropped[:_DROPPED_SHOWN]
        ],
    }


def _timed(trace: Trace, began: float) -> Trace:
    return replace(trace, took_ms=round(1000 * (time.perf_counter() - began), 2))
