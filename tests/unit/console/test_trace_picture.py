"""The picture of a trace: places on lanes, what became of each candidate, and the times."""

from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

from unit.policy.cast import A, memory
from whoknows.console.trace_picture import Fate, picture
from whoknows.domain.ids import MemoryId, new_memory_id, new_trace_id
from whoknows.domain.memory import Memory
from whoknows.domain.trace import Trace

BEST, NEXT, LOW, FAR, HIDDEN = (MemoryId(new_memory_id()) for _ in range(5))
BODY: dict[str, Any] = {
    "floor": 0.22,
    "limit": 2,
    "embed_ms": 5.0,
    "dense": [{"id": str(i), "cosine": c} for i, c in ((BEST, 0.9), (LOW, 0.7), (FAR, 0.5), (HIDDEN, 0.95))],
    "lexical": [{"id": str(BEST), "bm25": 8.0}, {"id": str(NEXT), "bm25": 2.0}],
    "hits": [
        {"id": str(BEST), "score": 0.8, "cosine": 0.9, "bm25": 8.0, "neighbour": None, "former": None},
        {"id": str(NEXT), "score": 0.4, "cosine": None, "bm25": 2.0, "neighbour": {"id": str(BEST)}, "former": None},
    ],
    "dropped": [{"id": str(LOW), "score": 0.1, "why": "below_floor"}],
}


def trace(**body: Any) -> Trace:
    return Trace(new_trace_id(), "agent:A", "?", datetime.now(UTC), (), "lexical+dense", 20.0, MappingProxyType(BODY | body))


def texts(*ids: MemoryId) -> dict[MemoryId, Memory]:
    return {i: replace(memory(A, A), id=i) for i in ids}


SEEN = texts(BEST, NEXT, LOW, FAR)


def test_candidates_stand_best_first_with_what_became_of_each() -> None:
    drawn = picture(trace(), SEEN)
    assert [(c.memory.id, c.fate) for c in drawn.candidates] == [
        (BEST, Fate.GIVEN), (NEXT, Fate.GIVEN), (LOW, Fate.BELOW_FLOOR), (FAR, Fate.FARTHER),
    ]  # fmt: skip
    assert [c.neighbour for c in drawn.candidates] == [False, True, False, False]
    assert drawn.count("given") == 2


def test_dots_stand_where_their_scores_are() -> None:
    drawn = picture(trace(), SEEN)
    assert [(d.memory, d.at) for d in drawn.dense.dots] == [(BEST, 100.0), (LOW, 50.0), (FAR, 0.0)]
    assert [(d.memory, d.at) for d in drawn.lexical.dots] == [(BEST, 100.0), (NEXT, 25.0)]
    assert [(d.memory, d.at) for d in drawn.fused.dots] == [(BEST, 80.0), (NEXT, 40.0), (LOW, 10.0)]
    assert [(link.memory, link.start, link.end) for link in drawn.lexical_links] == [(BEST, 100.0, 80.0), (NEXT, 25.0, 40.0)]


def test_what_may_not_be_seen_is_nowhere_and_moves_nothing() -> None:
    without = picture(trace(dense=BODY["dense"][:3]), SEEN)
    assert picture(trace(), SEEN) == without
    assert HIDDEN not in {d.memory for d in picture(trace(), SEEN).dense.dots}


def test_one_dot_alone_stands_in_the_middle_and_an_empty_trace_is_empty() -> None:
    alone = picture(trace(dense=BODY["dense"][:1], lexical=[], hits=BODY["hits"][:1], dropped=[]), SEEN)
    assert [d.at for d in alone.dense.dots] == [50.0]
    assert picture(trace(dense=[], lexical=[], hits=[], dropped=[]), {}).candidates == []


def test_the_times_are_shares_of_the_whole() -> None:
    times = picture(trace(), SEEN).times
    assert (times.took, times.embed, times.search, times.embedding) == (20.0, 5.0, 15.0, 25.0)
    assert picture(replace(trace(), took_ms=0.0), SEEN).times.embedding == 0


def test_a_trace_from_before_limits_were_kept_has_none() -> None:
    body = {k: v for k, v in BODY.items() if k != "limit"}
    assert picture(replace(trace(), body=body), SEEN).limit is None
    assert picture(trace(), SEEN).limit == 2
