"""The index over all vectors is built when it is worth it, and only then."""

import psycopg

from whoknows.bootstrap import Installation
from whoknows.stores.postgres import hnsw
from worlds import World


def _state(dsn: str) -> list[tuple[bool]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('whoknows.passages_hnsw')"
        ).fetchall()


async def test_a_small_store_has_no_index_over_all_vectors(world: World, installation: Installation) -> None:
    await world.agents("A")
    await world.write("A", "a single note")
    assert hnsw.build_if_worth(installation.dsn) is False
    assert _state(installation.dsn) == []


async def test_a_large_store_gets_one_and_keeps_it(world: World, installation: Installation, monkeypatch) -> None:
    monkeypatch.setattr(hnsw, "HNSW_LEAST", 5)
    monkeypatch.setattr(hnsw, "SAMPLE_PERCENT", 100)
    await world.agents("A")
    for n in range(8):
        await world.write("A", f"note {n} about topic {n % 3}")
    with psycopg.connect(installation.dsn, autocommit=True) as connection:
        connection.execute("ANALYZE whoknows.passages")
    assert hnsw.build_if_worth(installation.dsn) is True
    assert _state(installation.dsn) == [(True,)]
    assert hnsw.build_if_worth(installation.dsn) is False
    assert "note 3 about topic 0" in await world.recalled("A", "note 3")
