"""Observations: what several say is stated once, with a found quote of each, for those who read all of it."""

from dataclasses import replace

import pytest
from observing import OTHER, SAME, consolidate, make, observed, sources, team_that_agrees, the_one, upkeep

from whoknows.domain.memory import State
from whoknows.domain.observation import Made, Quote
from whoknows.domain.principal import GateLevel
from whoknows.errors import AudienceDiffers, Forbidden, Invalid, NotFound, QuoteNotFound
from whoknows.ports.observations import Put
from worlds import World


async def test_what_three_say_in_other_words_is_stated_once_with_a_verified_quote_of_each(world: World) -> None:
    said = await team_that_agrees(world)
    await world.write("A", OTHER, team_id="T")
    done = await consolidate(world)
    assert [t.outcome for t in done.told] == [Put.MADE]
    found = await the_one(world, "B")
    assert found.memory.content in SAME
    assert found.made is Made.EXTRACTIVE
    assert sources(found) == {m.id for m in said}
    assert not found.stale
    by_source = {e.locator: e for e in found.memory.evidence}
    assert set(by_source) == {str(m.id) for m in said}
    for m in said:
        piece = by_source[str(m.id)]
        assert piece.verified
        assert piece.quote == m.content[piece.start : piece.end] == m.content


async def test_a_second_run_adds_nothing(world: World) -> None:
    await team_that_agrees(world)
    await consolidate(world)
    before = await the_one(world, "A")
    assert (await consolidate(world)).told == []
    assert await upkeep(world)() == 0
    assert await the_one(world, "A") == before


async def test_only_those_who_read_its_sources_read_it(world: World) -> None:
    await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    assert await observed(world, "stranger") == []
    for verb in (world.service.observe.get, world.service.observe.recompute):
        with pytest.raises(NotFound):
            await verb(await world.caller("stranger"), told.observation.memory.id)
    assert told.observation.memory.content not in await world.recalled("stranger", SAME[0])
    assert told.observation.memory.content in await world.recalled("B", SAME[0])


async def test_nothing_is_gathered_across_audiences_or_projects(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    await world.write("A", SAME[0], team_id="T")
    await world.write("A", SAME[1])
    await world.write("B", SAME[1])
    await world.write("A", SAME[2], team_id="T", project_id="boss")
    for who in "AB":
        for team in ("T", None):
            assert (await consolidate(world, who, team)).told == []
    assert await upkeep(world, least=2)() == 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Caches are kept for 30 minutes everywhere", "Caches are kept for 40 minutes everywhere"),
        ("Deploys need a second reader", "Deploys do not need a second reader"),
        ("On weekends we call Alice of the platform team", "On weekends we call Bobby of the platform team"),
        ("发布之前必须手工重建搜索索引，否则结果是旧的", "发布之前不必手工重建搜索索引，否则结果是旧的"),
        ("网关的缓存在所有地区保留三十分钟", "网关的缓存在所有地区保留四十分钟"),
    ],
)  # fmt: skip
async def test_statements_that_differ_in_a_number_a_name_or_a_negation_are_not_one(world: World, one: str, other: str) -> None:
    await team_that_agrees(world, (one, other))
    assert (await consolidate(world)).told == []


async def test_copies_and_what_is_bound_held_archived_or_stated_already_are_no_sources(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="owner", B="writer")
    for text in SAME[:2]:
        original = await world.write("B", text)
        await world.service.publish(await world.caller("B"), original.id, "T")
    await world.write("A", SAME[0], session_id="s", isolation="session")
    await world.write("A", SAME[1], session_id="s", isolation="session")
    archived = await world.write("A", SAME[2])
    await world.service.change.archive(await world.caller("A"), archived.id)
    await world.write("A", SAME[0])
    assert (await consolidate(world, "A", "T")).told == []
    assert (await consolidate(world, "A", None)).told == []
    told = (await consolidate(world, "B", None)).told  # the two originals, of B's own
    assert len(told) == 1
    with pytest.raises(Invalid, match="is an observation"):
        await make(world, "B", [told[0].observation.memory, await world.write("B", SAME[2])])


async def test_what_is_said_later_joins_the_observation_that_is_there(world: World) -> None:
    said = await team_that_agrees(world, SAME[:2])
    await consolidate(world)
    first = await the_one(world, "A")
    later = await world.write("C", SAME[2], team_id="T")
    (told,) = (await consolidate(world)).told
    assert told.outcome is Put.UNCHANGED
    grown = await the_one(world, "A")
    assert grown.memory.id == first.memory.id
    assert grown.memory.content == first.memory.content
    assert sources(grown) == {later.id, *(m.id for m in said)}
    assert {e.locator for e in grown.memory.evidence} == {str(s) for s in sources(grown)}


async def test_somebody_may_name_what_is_to_be_stated(world: World) -> None:
    await world.agents("A")
    said = [await world.write("A", "Builds fail when the disk is full"), await world.write("A", OTHER)]
    told = await make(world, "A", said)
    assert told.observation.memory.content in {m.content for m in said}
    assert told.observation.memory.author.name == "A"
    again = await make(world, "A", said)
    assert (again.outcome, again.observation.memory.id) == (Put.TAKEN, told.observation.memory.id)


async def test_words_of_ones_own_need_a_found_quote_for_each_sentence(world: World) -> None:
    await world.agents("A")
    said = [
        await world.write("A", "Builds fail when the disk is full, as on 3 of our runners"),
        await world.write("A", "磁盘满了以后构建会失败，需要先清理缓存"),
    ]
    full, cleaned = Quote(said[0].id, "when the disk is full", 1), Quote(said[1].id, "需要先清理缓存", 2)
    text = "A full disk makes builds fail. Cleaning the cache comes first."
    told = await make(world, "A", said, text, quotes=(full, cleaned))
    assert told.observation.memory.content == text
    assert told.observation.made is Made.QUOTED
    assert {e.quote for e in told.observation.memory.evidence} == {full.quote, cleaned.quote}
    assert all(e.verified for e in told.observation.memory.evidence)
    for quotes in ((full,), (full, Quote(said[1].id, "需要先清理日志", 2)), (full, Quote(said[0].id, "需要先清理缓存", 2)), ()):
        with pytest.raises(QuoteNotFound):
            await make(world, "A", said, text, quotes=quotes)
    with pytest.raises(QuoteNotFound, match="number"):
        await make(world, "A", said, "A full disk makes builds fail on 7 runners.", quotes=(full,))


async def test_a_stranger_to_one_of_them_states_nothing(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    teams = [await world.write("A", t, team_id="T") for t in SAME[:2]]
    own = await world.write("B", SAME[2])
    with pytest.raises(NotFound):
        await make(world, "A", [teams[0], own])
    with pytest.raises(AudienceDiffers):
        await make(world, "B", [teams[0], own])
    with pytest.raises(Forbidden):  # a reader of the team
        await make(world, "B", teams)
    with pytest.raises(Forbidden):
        await consolidate(world, "B", "T")
    for few in ([teams[0]], [teams[0], teams[0]]):
        with pytest.raises(Invalid):
            await make(world, "A", few)


async def test_the_gate_of_the_place_applies(world: World) -> None:
    await world.agents("A", "B")
    await world.members("m")
    await world.team("V", GateLevel.OPEN, A="writer", B="writer", **{"member:m": "writer"})
    for who, text in zip("AB", SAME[:2], strict=True):
        await world.write(who, text, team_id="V")
    await world.service.administer.change_team(await world.admin(), "V", None, GateLevel.REVIEWED, None)
    assert (await consolidate(world, "A", "V")).looked_at == 2
    held = await observed(world, "member:m")
    assert [o.memory.state for o in held] == [State.HELD]
    answer = await world.ask("member:m", SAME[0], min_score=0.0)
    assert held[0].memory.id not in {a.memory.id for a in answer.memories}
    writer = held[0].memory.author.name
    assert len(await observed(world, "A" if writer == "B" else "B")) == 0


async def test_an_observation_keeps_the_words_and_the_readers_of_its_sources(world: World) -> None:
    await world.agents("A", "B")
    for text in SAME:
        await world.write("A", text)
    (told,) = (await consolidate(world, "A", None)).told
    caller, identity = await world.caller("A"), told.observation.memory.id
    from whoknows.domain.memory import Patch

    with pytest.raises(Forbidden, match="observation"):
        await world.service.change.edit(caller, identity, 1, Patch(content="something else", named=frozenset({"content"})))
    with pytest.raises(Forbidden, match="observation"):
        await world.service.change.share(caller, identity, "B", True)
    assert (await world.service.read.get(caller, identity)).content == told.observation.memory.content


async def test_a_call_looks_at_so_many_and_the_next_goes_on(world: World) -> None:
    await team_that_agrees(world)
    caller = await world.caller("A")
    few = replace(world.service.consolidate, seeds=2)
    first = await few(caller, None, "T")
    assert first.looked_at == 2
    assert first.next_cursor is not None
    rest = await few(caller, None, "T", first.next_cursor)
    assert rest.next_cursor is None
