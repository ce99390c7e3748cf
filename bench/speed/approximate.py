"""HNSW beside the exact answer, for a reader who sees nearly everything."""

import time
from collections.abc import Sequence

import psycopg

from speed.figures import Figure, milliseconds
from speed.world import WRITER, World
from whoknows.domain.memory import Filters
from whoknows.flows.recall import CANDIDATES
from whoknows.policy.standing import scope_for
from whoknows.ports import Found

_PART = "HNSW"
_INDEX = (
    "CREATE INDEX passages_hnsw ON passages USING hnsw (embedding halfvec_ip_ops) "
    "WITH (m = 24, ef_construction = 128) WHERE live"
)


async def recall_of_hnsw(world: World, questions: Sequence[str]) -> list[Figure]:
    """Share of the exact top ten and top hundred that HNSW brings. The writer, on every team, asks; the index is made here."""
    exact = [await _nearest(world, question) for question in questions]
    with psycopg.connect(world.installation.dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET maintenance_work_mem = '1GB'")
        began = time.perf_counter()
        connection.execute(_INDEX)
        building = time.perf_counter() - began
    try:
        near = [await _nearest(world, question) for question in questions]
    finally:
        with psycopg.connect(world.installation.dsn, autocommit=True) as connection:
            connection.execute("DROP INDEX whoknows.passages_hnsw")
    assert all(f.exact for f, _ in exact)
    assert not any(f.exact for f, _ in near), "the reader sees enough for HNSW to answer"
    return [
        Figure(_PART, f"visible memories ({building:.0f} s to build)", exact[0][0].visible),
        *milliseconds(_PART, "both arms, exact", [s for _, s in exact]),
        *milliseconds(_PART, "both arms, HNSW", [s for _, s in near]),
        *(Figure(_PART, f"recall of the exact top {k}", _shared(exact, near, k), at_least=0.98) for k in (10, CANDIDATES)),
    ]


async def _nearest(world: World, question: str) -> tuple[Found, float]:
    vector = (await world.service.aim(question)).vector
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
