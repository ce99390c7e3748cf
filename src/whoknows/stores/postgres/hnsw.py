"""The index over all vectors (HNSW): built beside the work, once somebody sees so much that an exact search is slow."""

import asyncio

import psycopg

from whoknows.stores.postgres.arms import HNSW_LEAST, HNSW_SHARE

_EVERY = 600.0
"""Seconds between two looks. Until the index is there, the search is exact and takes longer."""
_LOCK = 7_466_204

_WORTH = """
SELECT c.reltuples >= %(least)s AND coalesce((s.most_common_freqs)[1], 0) >= %(share)s AS worth
FROM pg_class c LEFT JOIN pg_stats s ON s.schemaname = 'whoknows' AND s.tablename = 'passages' AND s.attname = 'tenant_id'
WHERE c.oid = 'whoknows.passages'::regclass
"""
_STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('whoknows.passages_hnsw')"
_BUILD = """
CREATE INDEX CONCURRENTLY passages_hnsw ON whoknows.passages
USING hnsw (embedding halfvec_ip_ops) WITH (m = 24, ef_construction = 128) WHERE live
"""


async def keep_index(dsn: str) -> None:
    """Look now and then, until cancelled."""
    while True:
        await asyncio.to_thread(build_if_worth, dsn)
        await asyncio.sleep(_EVERY)


def build_if_worth(dsn: str) -> bool:
    """Whether the index was built just now. As the owner of the tables; writes go on meanwhile.

    Worth it: HNSW_LEAST vectors, and one tenant (by the planner's statistics) with HNSW_SHARE of them, since below that no
    reader is ever answered by it.
    """
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET max_parallel_maintenance_workers = 0")  # the rest of the machine is for questions
        worth = connection.execute(_WORTH, {"least": HNSW_LEAST, "share": HNSW_SHARE}).fetchone()
        if worth is None or not worth[0]:
            return False
        locked = connection.execute("SELECT pg_try_advisory_lock(%s)", (_LOCK,)).fetchone()
        if locked is None or not locked[0]:
            return False
        state = connection.execute(_STATE).fetchone()
        if state is not None and state[0]:
            return False
        if state is not None:  # a build that was killed
            connection.execute("DROP INDEX CONCURRENTLY whoknows.passages_hnsw")
        connection.execute(_BUILD)
        return True
