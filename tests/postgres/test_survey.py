"""The survey of who knows what: the same verdicts as `why`, the same columns for every stretch, nothing of what is hidden."""

import pytest

from browser.knowing import household, many
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory, State
from whoknows.errors import NotFound
from whoknows.flows.survey import Stretch
from worlds import World

ALL = 200


async def stretch(world: World, who: str, limit: int = ALL, cursor: str | None = None, **narrowed: object) -> Stretch:
    filters = Filters(**narrowed)  # pyright: ignore[reportArgumentType]
    return await world.service.survey.stretch(await world.caller(who), filters, limit, cursor)


async def test_every_cell_is_the_verdict_that_why_gives(world: World) -> None:
    await household(world)
    for who in ("wukong", "monkey", "maomao", "member:guanyin"):
        caller = await world.caller(who)
        found = await stretch(world, who)
        assert found.rows
        for row in found.rows:
            told = {v.reader for v in (await world.service.survey.everyone(caller, row.memory.id)).verdicts} - row.given_to
            for verdict in row.verdicts:
                assert (await world.service.survey.cell(caller, row.memory.id, verdict.reader)).verdict == verdict
                if verdict.reader in told:
                    assert await world.service.explain.why(caller, row.memory.id, verdict.reader) == verdict


async def test_a_need_to_know_agent_that_owns_nothing_has_an_empty_matrix(world: World) -> None:
    await household(world)
    assert not (await stretch(world, "mouse")).rows
    assert (await world.service.survey.outline(await world.caller("mouse"), Filters(), 1)).memories == 0


async def test_a_yes_means_that_the_reader_really_reads_it(world: World) -> None:
    await household(world)
    reads = {w: {m.id for m in await _all(world, w)} for w in ("wukong", "maomao", "bajie", "monkey", "mouse", "member:tang")}
    for row in (await stretch(world, "wukong")).rows:
        for verdict in row.verdicts:
            who = verdict.reader.removeprefix("agent:")
            if who in reads:
                assert verdict.visible == (row.memory.id in reads[who]), (who, row.memory.content)


async def test_what_was_handed_over_is_marked_for_its_giver_and_for_nobody_else(world: World) -> None:
    written = await household(world)
    given = {r.memory.id: r.given_to for r in (await stretch(world, "wukong")).rows}
    assert given[written["private"].id] == {"agent:monkey"}
    assert "agent:monkey" in {r.space for r in (await stretch(world, "wukong")).readers}
    others = await stretch(world, "maomao")
    assert "agent:monkey" not in {r.space for r in others.readers}
    assert not any(r.given_to for r in others.rows)
    cell = await world.service.survey.cell(await world.caller("wukong"), written["private"].id, "agent:monkey")
    assert cell.gift is not None
    assert not cell.verdict.visible


async def test_strangers_are_no_columns_and_their_memories_no_rows(world: World) -> None:
    written = await household(world)
    for who in ("wukong", "maomao", "mouse"):
        found = await stretch(world, who)
        assert "agent:outsider" not in {r.space for r in found.readers}
        assert written["strange"].id not in {r.memory.id for r in found.rows}


async def test_every_stretch_has_the_same_columns_and_each_row_comes_once(world: World) -> None:
    written = await household(world)
    await many(world, written["team"], 120)
    outline = await world.service.survey.outline(await world.caller("wukong"), Filters(), 50)
    whole = [r.memory.id for r in (await stretch(world, "wukong")).rows]
    assert outline.memories == len(whole)
    assert list(outline.marks) == whole[49::50]
    met: list[MemoryId] = []
    readers = {tuple(r.space for r in (await stretch(world, "wukong", 50)).readers)}
    for before in (None, *outline.marks):
        part = await stretch(world, "wukong", 50, None if before is None else str(before))
        readers.add(tuple(r.space for r in part.readers))
        met += [r.memory.id for r in part.rows]
    assert met == whole
    assert len(readers) == 1


async def test_the_outline_counts_what_one_sees_and_is_deaf_to_the_rest(world: World) -> None:
    written = await household(world)
    before = await world.service.survey.outline(await world.caller("wukong"), Filters(), 1)
    await many(world, written["strange"], 500)
    assert await world.service.survey.outline(await world.caller("wukong"), Filters(), 1) == before
    await world.write("wukong", "one more")
    after = await world.service.survey.outline(await world.caller("wukong"), Filters(), 1)
    assert after.memories == before.memories + 1


async def test_filters_narrow_rows_count_and_columns_alike(world: World) -> None:
    written = await household(world)
    caller = await world.caller("wukong")
    for narrowed in (
        Filters(layer="private"),
        Filters(team_id="pilgrims"),
        Filters(state=State.HELD),
        Filters(project_id="none"),
    ):
        outline = await world.service.survey.outline(caller, narrowed, 1)
        found = await world.service.survey.stretch(caller, narrowed, ALL, None)
        assert outline.memories == len(found.rows)
    held = await stretch(world, "wukong", state=State.HELD)
    assert [r.memory.id for r in held.rows] == [written["held"].id]
    assert {v.reader for v in held.rows[0].verdicts if v.visible} == {"agent:wukong", "member:guanyin"}
    with pytest.raises(NotFound):
        await stretch(world, "wukong", team_id="strangers")


async def test_of_what_one_does_not_see_there_is_neither_a_cell_nor_a_list_of_readers(world: World) -> None:
    written = await household(world)
    survey, caller = world.service.survey, await world.caller("maomao")
    for hidden in (written["private"].id, written["strange"].id):
        for asked in (survey.cell(caller, hidden, "agent:wukong"), survey.everyone(caller, hidden)):
            with pytest.raises(NotFound):
                await asked
    for nobody in ("agent:outsider", "agent:nobody", "", "*", "team:pilgrims", "agent:MAOMAO"):
        with pytest.raises(NotFound):
            await survey.cell(caller, written["team"].id, nobody)


async def test_all_readers_of_one_memory_are_those_of_its_row(world: World) -> None:
    written = await household(world)
    known = await world.service.survey.everyone(await world.caller("wukong"), written["private"].id)
    assert known.given_to == {"agent:monkey"}
    row = next(r for r in (await stretch(world, "wukong")).rows if r.memory.id == written["private"].id)
    told = {v.reader: v.visible for v in known.verdicts}
    assert told.items() <= {v.reader: v.visible for v in row.verdicts}.items()


async def _all(world: World, who: str) -> list[Memory]:
    caller, found = await world.caller(who), list[Memory]()
    for state in (State.ACTIVE, State.HELD):
        found += (await world.service.read.list(caller, Filters(state=state), ALL, None)).items
    return found
