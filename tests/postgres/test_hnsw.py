"""The index over all vectors is built when it is worth it, and only then; and it brings what a search without it brings."""

import numpy as np
import psycopg
import pytest

from whoknows.bootstrap import Installation
from whoknows.domain.memory import Filters
from whoknows.stores.postgres import arms, hnsw
from whoknows.stores.postgres.packed import Packed, PackedDumper, packed
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


async def test_a_project_brings_the_same_by_each_way(world: World, installation: Installation, monkeypatch) -> None:
    monkeypatch.setattr(hnsw, "HNSW_LEAST", 5)
    monkeypatch.setattr(hnsw, "SAMPLE_PERCENT", 100)
    await world.agents("A")
    for n in range(9):
        project = ("desk", "elsewhere", None)[n % 3]
        await world.write("A", f"note {n} about the topic", project_id=project)
    with psycopg.connect(installation.dsn, autocommit=True) as connection:
        connection.execute("ANALYZE whoknows.passages")
    assert hnsw.build_if_worth(installation.dsn)
    brought = {}
    for way, settings in {
        "those that are left": {"MANY_SHARE": 2.0},
        "all in one go": {"MANY_SHARE": 0.0},
        "the index": {"HNSW_LEAST": 1, "HNSW_SHARE": 0.0},
    }.items():
        for name, value in settings.items():
            monkeypatch.setattr(arms, name, value)
        for _ in range(8):  # the last ones by a plan for any parameters
            found = await world.ask("A", "the topic", filters=Filters(project_id="desk", or_global=True), min_score=0.0)
        assert ("approximate" in found.trace.mode) == (way == "the index")
        brought[way] = {a.memory.content for a in found.memories}
    desk_and_none = {f"note {n} about the topic" for n in (0, 2, 3, 5, 6, 8)}
    assert set(map(frozenset, brought.values())) == {frozenset(desk_and_none)}


async def test_a_project_alone_in_sight_leaves_everything(world: World) -> None:
    await world.agents("A", "B")
    await world.write("A", "of the desk", project_id="desk")
    await world.write("A", "of nothing")
    await world.write("B", "of elsewhere", project_id="elsewhere")
    desk = Filters(project_id="desk", or_global=True)
    assert set(await world.recalled("A", "of", filters=desk)) == {"of the desk", "of nothing"}
    await world.write("A", "of elsewhere", project_id="elsewhere")
    assert set(await world.recalled("A", "of", filters=desk)) == {"of the desk", "of nothing"}
    assert await world.recalled("A", "of", filters=Filters(project_id="desk")) == ["of the desk"]


@pytest.mark.parametrize("numbers", [[], [7], [1, -2, 1 << 40, 3]])
async def test_numbers_are_sent_as_they_are(installation: Installation, numbers: list[int]) -> None:
    with psycopg.connect(installation.dsn) as connection:
        connection.adapters.register_dumper(Packed, PackedDumper)
        sent = connection.execute("SELECT %s", (packed(np.array(numbers, np.int64)),)).fetchone()
    assert sent == (numbers,)
