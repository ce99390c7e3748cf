"""A trace as a picture: the lanes of both arms and the fused one, what became of each candidate, and where the time went."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory
from whoknows.domain.trace import Trace


class Fate(StrEnum):
    """What became of a candidate."""

    GIVEN = "given"
    BEYOND_LIMIT = "beyond_limit"
    BELOW_FLOOR = "below_floor"
    FARTHER = "farther"
    """further down than a trace keeps"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """``place`` from 1 in the fused order; scores are None where an arm did not bring it."""

    memory: Memory
    place: int | None
    cosine: float | None
    bm25: float | None
    score: float | None
    fate: Fate
    neighbour: bool
    former: bool


@dataclass(frozen=True, slots=True)
class Dot:
    """``at`` is the place on its lane in percent."""

    memory: MemoryId
    at: float
    value: float
    fate: Fate


@dataclass(frozen=True, slots=True)
class Lane:
    dots: Sequence[Dot]
    least: float
    most: float


@dataclass(frozen=True, slots=True)
class Link:
    """From one lane to the next, in percent."""

    memory: MemoryId
    start: float
    end: float
    fate: Fate


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds; ``embedding`` is the part that the embedder took, in percent of the whole."""

    took: float
    embed: float
    search: float
    embedding: float


@dataclass(frozen=True, slots=True)
class Picture:
    """``limit`` is None for traces that were written before it was kept."""

    candidates: Sequence[Candidate]
    dense: Lane
    lexical: Lane
    fused: Lane
    dense_links: Sequence[Link]
    lexical_links: Sequence[Link]
    floor: float
    limit: int | None
    times: Times

    def count(self, fate: str) -> int:
        return sum(c.fate == fate for c in self.candidates)


def picture(trace: Trace, memories: Mapping[MemoryId, Memory]) -> Picture:
    """Of what is in the trace and may be seen: best first, then what neither answered nor was dropped by name."""
    body = trace.body
    cosines = {_id(h): float(h["cosine"]) for h in _list(body, "dense")}
    words = {_id(h): float(h["bm25"]) for h in _list(body, "lexical")}
    candidates: dict[MemoryId, Candidate] = {}

    def add(entry: Mapping[str, Any], fate: Fate) -> None:
        memory = _id(entry)
        if memory not in memories or memory in candidates:
            return
        score = entry.get("score")
        candidates[memory] = Candidate(
            memory=memories[memory],
            place=None if score is None else len(candidates) + 1,
            cosine=cosines.get(memory, entry.get("cosine")),
            bm25=words.get(memory, entry.get("bm25")),
            score=None if score is None else float(score),
            fate=fate,
            neighbour=entry.get("neighbour") is not None,
            former=entry.get("former") is not None,
        )

    for hit in _list(body, "hits"):
        add(hit, Fate.GIVEN)
    for dropped in _list(body, "dropped"):
        add(dropped, Fate(dropped["why"]))
    for found in (*_list(body, "dense"), *_list(body, "lexical")):
        add({"id": found["id"]}, Fate.FARTHER)

    every = list(candidates.values())
    dense = _lane([(c, c.cosine) for c in every], None)
    lexical = _lane([(c, c.bm25) for c in every], 0.0)
    fused = _lane([(c, c.score) for c in every], 0.0, 1.0)
    return Picture(
        candidates=every,
        dense=dense,
        lexical=lexical,
        fused=fused,
        dense_links=_links(dense, fused),
        lexical_links=_links(lexical, fused),
        floor=float(body.get("floor") or 0.0),
        limit=body.get("limit"),
        times=_times(trace),
    )


def _lane(found: Sequence[tuple[Candidate, float | None]], least: float | None, most: float | None = None) -> Lane:
    values = [value for _, value in found if value is not None]
    low = min(values, default=0.0) if least is None else least
    high = max(values, default=0.0) if most is None else most
    wide = high - low

    def at(value: float) -> float:
        return round(100 * (value - low) / wide, 2) if wide > 0 else 50.0

    return Lane([Dot(c.memory.id, at(v), v, c.fate) for c, v in found if v is not None], low, high)


def _links(arm: Lane, fused: Lane) -> list[Link]:
    ends = {dot.memory: dot.at for dot in fused.dots}
    return [Link(dot.memory, dot.at, ends[dot.memory], dot.fate) for dot in arm.dots if dot.memory in ends]


def _times(trace: Trace) -> Times:
    embed = min(float(trace.body.get("embed_ms") or 0.0), trace.took_ms)
    share = round(100 * embed / trace.took_ms, 1) if trace.took_ms else 0.0
    return Times(trace.took_ms, embed, round(trace.took_ms - embed, 2), share)


def _list(body: Mapping[str, Any], name: str) -> Sequence[Mapping[str, Any]]:
    return body.get(name) or ()


def _id(entry: Mapping[str, Any]) -> MemoryId:
    return MemoryId(UUID(entry["id"]))
