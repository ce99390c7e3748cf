"""HNSW beside the exact answer, for a reader who sees nearly everything."""

import time
from collections.abc import Sequence

from speed.figures import Figure, milliseconds
from speed.world import WRITER, World
from whoknows.domain.memory import Filters
from whoknows.flows.recall import CANDIDATES
from whoknows.policy.egress import kept_here
from whoknows.policy.standing import scope_for
from whoknows.ports import Found
from whoknows.stores.postgres.hnsw import build_if_worth

_PART = "HNSW"


async def recall_of_hnsw(world: World, questions: Sequence[str]) -> list[Figure]:
    """Share of the exact top ten and hundred that HNSW brings. The writer, on every team, asks; the index made here stays."""
    exact = [await _nearest(world, question) for question in questions]
    began = time.perf_counter()
    assert build_if_worth(world.installation.dsn), "so many memories of one tenant are worth an index"
    building = time.perf_counter() - began
    near = [await _nearest(world, question) for question in questions]
    assert all(f.exact for f, _ in exact)
    assert not any(f.exact for f, _ in near), "the reader sees enough for HNSW to answer"
    return [
        Figure(_PART, f"visible memories ({building:.0f} s to build)", exact[0][0].visible),
        *milliseconds(_PART, "both arms, exact", [s for _, s in exact]),
        *milliseconds(_PART, "both arms, HNSW", [s for _, s in near]),
        *(Figure(_PART, f"recall of the exact top {k}", _shared(exact, near, k), at_least=0.98) for k in (10, CANDIDATES)),
    ]


async def _nearest(world: World, question: str) -> tuple[Found, float]:
    vector = (await world.service.aim(kept_here(question))).vector
    async with world.service.store.read(await world.caller(WRITER)) as tx:
        scope = scope_for(await tx.directory.standing())
        began = time.perf_counter()
        found = await tx.arms.search(scope, (), vector, Filters(), CANDIDATES)
        return found, time.perf_counter() - began


def _shared(exact: Sequence[tuple[Found, float]], near: Sequence[tuple[Found, float]], k: int) -> float:
    shares: list[float] = []
    for (truth, _), (found, _) in zip(exact, near, strict=True):
        wanted = {h.memory for h in (truth.dense or ())[:k]}
        shares.append(len(wanted & {h.memory for h in (found.dense or ())[:k]}) / max(len(wanted), 1))
    return sum(shares) / len(shares)
