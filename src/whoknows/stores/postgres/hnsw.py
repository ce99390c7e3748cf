"""The index over all vectors (HNSW): built beside the work, once somebody sees so much that an exact search is slow."""

import asyncio
import threading
from contextlib import suppress

import psycopg

WORTH_LEAST = 50_000
WORTH_SHARE = 0.4
"""Vectors from which on the index is worth its keep, and the share of them that one tenant has to have."""
_EVERY = 600.0
"""Seconds between two looks. Until the index is there, the search is exact and takes longer."""
_LOCK = 7_466_204

_LARGE = "SELECT reltuples >= %(least)s FROM pg_class WHERE oid = 'whoknows.passages'::regclass"
_ONE_SIDED = """
SELECT coalesce(max(t.rows) >= %(share)s * sum(t.rows), false)
FROM (SELECT count(*) AS rows FROM passages TABLESAMPLE SYSTEM (%(percent)s) GROUP BY tenant_id) t
"""
SAMPLE_PERCENT = 1
"""Of a table that is large enough, a hundredth is some hundred rows of some dozen pages."""
_STATE = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('whoknows.passages_hnsw')"
_BUILD = """
CREATE INDEX CONCURRENTLY passages_hnsw ON whoknows.passages
USING hnsw (embedding halfvec_ip_ops) WITH (m = 24, ef_construction = 128) WHERE live
"""


async def keep_index(dsn: str) -> None:
    """Look now and then, until cancelled."""
    while True:
        await _apart(dsn)
        await asyncio.sleep(_EVERY)


async def _apart(dsn: str) -> None:
    # In a thread that nobody waits for at the end: a build takes minutes, and the server may be told to stop meanwhile.
    loop, done = asyncio.get_running_loop(), asyncio.Event()

    def work() -> None:
        with suppress(psycopg.Error):  # no database, no index: the next look may find both
            build_if_worth(dsn)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(done.set)

    threading.Thread(target=work, name="hnsw", daemon=True).start()
    await done.wait()


def build_if_worth(dsn: str, workers: int = 0) -> bool:
    """Whether the index was built just now. As the owner of the tables; writes go on meanwhile.

    ``workers`` build beside the first: none, since the rest of the machine is for questions.

    Worth it: WORTH_LEAST vectors, and one tenant with WORTH_SHARE of a sample of them, since below that no reader is ever
    answered by it.
    """
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute("SELECT set_config('max_parallel_maintenance_workers', %s, false)", (str(workers),))
        if not _worth(connection):
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


def _worth(connection: psycopg.Connection) -> bool:
    # As the definer: row-level security is forced on an owner who is no superuser, and hides the table's statistics from it.
    with connection.transaction():
        large = connection.execute(_LARGE, {"least": WORTH_LEAST}).fetchone()
        if large is None or not large[0]:
            return False
        connection.execute("SET LOCAL ROLE whoknows_definer")
        found = connection.execute(_ONE_SIDED, {"share": WORTH_SHARE, "percent": SAMPLE_PERCENT}).fetchone()
        return found is not None and bool(found[0])
