"""``python -m bench.observations SAID.yaml SET.json.gz… --cache DIR``: pairs that consolidation joins, over thresholds.

SAID.yaml: things, each said in several ways (as in bench/corrections). SET: labelled questions, whose docs are what people
really said: there almost nothing is said twice, and what is joined is shown, to be judged by eye.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from uuid import UUID

import numpy as np
import yaml

from quality.embed import Embedder, Vectors
from quality.sets import LabelledSet, load
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.observation import Statement
from whoknows.gate.cluster import ALIKE, NEAR, cluster
from whoknows.gate.near import alike, differs
from whoknows.gate.quotes import LEAST, weight

COSINES = (0.90, 0.92, 0.93, 0.94, 0.95, 0.97)
WORDS = (0.0, 0.3, 0.4, 0.5, 0.7)
PLACES = 10


@dataclass(frozen=True, slots=True)
class Pair:
    a: str
    b: str
    cosine: float
    words: float
    together: bool


def pairs_of(texts: Sequence[str], vectors: Vectors, things: Sequence[int] | None, least: float) -> Iterator[Pair]:
    """Those as near as ``least`` that nothing tells apart. Of what people really said, only those with words in common."""
    near = vectors @ vectors.T
    for i, j in combinations(range(len(texts)), 2):
        a, b = texts[i], texts[j]
        if near[i, j] < least or min(weight(a), weight(b)) < LEAST:
            continue
        words = alike(a, b)
        if (things is not None or words >= ALIKE) and differs(a, b) is None:
            yield Pair(a, b, float(near[i, j]), words, things is not None and things[i] == things[j])


def table(pairs: Sequence[Pair], of: int | None) -> None:
    print("   cosine  words  joined" + ("   of one thing" if of else ""))
    for c in COSINES:
        for w in WORDS:
            joined = [p for p in pairs if p.cosine >= c and p.words >= w]
            right = sum(p.together for p in joined)
            print(f"     {c:.2f}   {w:.1f}  {len(joined):6}" + (f"   {right:4} of {of}" if of else ""))


def said(path: Path, embedder: Embedder) -> None:
    things: list[list[str]] = yaml.safe_load(path.read_text("utf-8"))["things"]
    texts = [t for thing in things for t in thing]
    of_thing = [n for n, thing in enumerate(things) for _ in thing]
    of = sum(len(t) * (len(t) - 1) // 2 for t in things)
    print(f"{path.name}: {len(texts)} texts of {len(things)} things, {of} pairs of one thing")
    table(list(pairs_of(texts, embedder.passages(texts), of_thing, min(COSINES))), of)


def real(found: LabelledSet, embedder: Embedder) -> None:
    scopes = sorted({d.scope for d in found.docs})
    pairs: list[Pair] = []
    lost = displaced = asked = made = 0
    for scope in scopes:
        docs = [d for d in found.docs if d.scope == scope]
        vectors = embedder.passages([d.text for d in docs])
        pairs += pairs_of([d.text for d in docs], vectors, None, NEAR)
        clusters = clusters_of([d.text for d in docs], vectors)
        made += len(clusters)
        questions = [q for q in found.questions if q.scope == scope]
        scores = embedder.questions([q.text for q in questions]) @ vectors.T
        for q, row in zip(questions, scores, strict=True):
            plain = [int(n) for n in np.argsort(-row, kind="stable")[:PLACES]]
            # An observation has the vector of the memory that it states, and stands beside it.
            beside: list[int] = []
            for n in plain:
                beside += [-1, n] if n in clusters else [n]
            kept = [n for n in beside[:PLACES] if n >= 0]
            asked += 1
            displaced += PLACES - len(kept)
            hit = {d for n in plain if (d := docs[n].id) in q.relevant}
            lost += bool(hit) and not {docs[n].id for n in kept} & q.relevant
    print(f"{found.name}: {len(found.docs)} docs; at {NEAR} and {ALIKE}: {made} observations of at least 2")
    print(f"   {asked} questions, {PLACES} places: {displaced} of {asked * PLACES} places go to observations, "
          f"{lost} questions lose every answer that they had")  # fmt: skip
    table(pairs, None)
    shown = [p for p in pairs if p.cosine >= NEAR and p.words >= ALIKE]
    for p in shown[:12]:
        print(f"   {p.cosine:.3f} {p.words:.2f}  {p.a[:70]!r} | {p.b[:70]!r}")


def clusters_of(texts: Sequence[str], vectors: Vectors) -> set[int]:
    """The places of the statements that lend an observation its words, as consolidation goes through them."""
    near = vectors @ vectors.T
    statements = [
        Statement(MemoryId(UUID(int=n)), AudienceId(1), None, t, None, 1, "", tuple(float(x) for x in v))
        for n, (t, v) in enumerate(zip(texts, vectors, strict=True))
    ]
    taken: set[int] = set()
    stated: set[int] = set()
    for n, seed in enumerate(statements):
        if n in taken:
            continue
        others = [statements[int(m)] for m in np.flatnonzero(near[n] >= NEAR) if int(m) != n and int(m) not in taken]
        members = cluster(seed, others) if others else (seed,)
        if len(members) > 1:
            taken |= {s.id.int for s in members}
            stated.add(n)
    return stated


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("said", type=Path)
    parser.add_argument("sets", type=Path, nargs="*")
    parser.add_argument("--cache", type=Path, required=True)
    given = parser.parse_args()
    embedder = Embedder(given.cache)
    said(given.said, embedder)
    for path in given.sets:
        real(load(path), embedder)


main()
