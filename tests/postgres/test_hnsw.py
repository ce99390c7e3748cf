"""The index over all vectors is built when it is worth it, and only then; and it brings what a search without it brings."""

import numpy as np
import psycopg
import pytest

from whoknows.bootstrap import Installation
from whoknows.domain.memory import Filters
from whoknows.policy.standing import scope_for
from whoknows.recall.tokens import question_terms
from whoknows.stores.postgres import dense, hnsw
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
    monkeypatch.setattr(hnsw, "WORTH_LEAST", 5)
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


@pytest.fixture
async def indexed(world: World, installation: Installation, monkeypatch) -> World:
    """A has notes of two projects and of none, and so few as they are, HNSW is asked."""
    monkeypatch.setattr(hnsw, "WORTH_LEAST", 5)
    monkeypatch.setattr(hnsw, "SAMPLE_PERCENT", 100)
    await world.agents("A")
    for n in range(9):
        await world.write(
            "A", f"note {n} about the {('desk', 'rest', 'rest')[n % 3]}", project_id=("desk", "elsewhere", None)[n % 3]
        )
    with psycopg.connect(installation.dsn, autocommit=True) as connection:
        connection.execute("ANALYZE whoknows.passages")
    assert hnsw.build_if_worth(installation.dsn)
    for name, value in {"HNSW_LEAST": 1, "HNSW_SHARE": 0.0}.items():
        monkeypatch.setattr(dense, name, value)
    return world


NEVER = 1_000_000
WAYS = {
    "those that are left, by their numbers": ({"HNSW_LEAST": NEVER}, False),
    "the index": ({"HNSW_LEAST": 1, "HNSW_ENOUGH": 0}, True),
    "the index in vain, and then those that are left": ({"HNSW_LEAST": 1, "HNSW_ENOUGH": NEVER}, False),
}
LEFT = [
    (Filters(), set(range(9))),
    (Filters(project_id="desk", or_global=True), {0, 2, 3, 5, 6, 8}),
    (Filters(project_id="desk"), {0, 3, 6}),
    (Filters(project_id="nowhere"), set()),
    (Filters(project_id="elsewhere", tags=("absent",)), set()),
    (Filters(general=True), {2, 5, 8}),
]


async def test_each_way_brings_what_the_filters_leave(indexed: World, monkeypatch) -> None:
    for way, (settings, approximate) in WAYS.items():
        for name, value in settings.items():
            monkeypatch.setattr(dense, name, value)
        for filters, left in LEFT:
            for _ in range(2):  # the second time by a plan that was kept
                found = await indexed.ask("A", "the rest", filters=filters, min_score=0.0)
                assert {int(a.memory.content.split()[1]) for a in found.memories} == left, (way, filters)
            assert ("approximate" in found.trace.mode) == (approximate and bool(left)), (way, filters)


async def test_where_the_nearest_of_all_are_of_another_project_the_search_is_exact(indexed: World, monkeypatch) -> None:
    """A look of seven brings six notes about the rest and one of the desk: two are further away."""
    desk = Filters(project_id="desk")
    monkeypatch.setattr(dense, "HNSW_LOOK", 7)
    found = await indexed.ask("A", "about the rest", filters=desk, min_score=0.0)
    assert {a.memory.content for a in found.memories} == {f"note {n} about the desk" for n in (0, 3, 6)}
    assert "approximate" not in found.trace.mode
    assert all(a.hit.cosine is not None for a in found.memories)


async def test_many_that_are_left_are_ranked_by_their_words_as_few_are(indexed: World, monkeypatch) -> None:
    """Their numbers are unknown, so that the best of all are asked: at first one, and then more and more."""
    desk = Filters(project_id="desk")
    ranked = []
    for least in (NEVER, 1):
        monkeypatch.setattr(dense, "HNSW_LEAST", least)
        caller = await indexed.caller("A")
        async with indexed.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            for limit in (1, 2, 100):
                found = await tx.arms.search(scope, question_terms("about the rest of the note"), None, desk, limit)
                assert found.lexical is not None
                ranked.append((least, [(h.memory, h.bm25) for h in found.lexical.hits], found.lexical.frequencies))
    assert [len(hits) for _, hits, _ in ranked] == [1, 2, 3, 1, 2, 3]
    assert [r[1:] for r in ranked[:3]] == [r[1:] for r in ranked[3:]]
    assert max(ranked[0][2]) == 9, "the statistics stay those of all that is in sight"


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
