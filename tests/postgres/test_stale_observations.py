"""Derived statements know when they are stale: one source changes, and that observation alone says so, and is computed anew."""

from collections.abc import Awaitable, Callable

import pytest
from observing import OTHER, SAME, consolidate, make, observed, sources, team_that_agrees, the_one, upkeep

from whoknows.domain.memory import Memory, Patch, State
from whoknows.domain.observation import Change, Made, Quote
from whoknows.errors import Conflict, Forbidden, NotFound
from whoknows.ports.observations import Put
from worlds import World

Act = Callable[[World, Memory], Awaitable[object]]


async def _edit(world: World, memory: Memory, text: str = OTHER, who: str = "C") -> None:
    patch = Patch(content=text, named=frozenset({"content"}))
    await world.service.change.edit(await world.caller(who), memory.id, memory.version, patch)


async def _archive(world: World, memory: Memory) -> None:
    await world.service.change.archive(await world.caller("C"), memory.id)


async def _supersede(world: World, memory: Memory) -> None:
    await world.write("C", OTHER, team_id="T", supersedes=memory.id)


ACTS: dict[Change, Act] = {Change.EDITED: _edit, Change.ARCHIVED: _archive, Change.SUPERSEDED: _supersede}


@pytest.mark.parametrize("change", ACTS, ids=str)
async def test_a_source_that_changes_makes_its_observation_alone_stale(world: World, change: Change) -> None:
    *_, third = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    pair = [await world.write("A", t, team_id="T") for t in ("The lift is out of order", "Lunch is at noon, and nobody waits")]
    other = (await make(world, "A", pair)).observation
    await ACTS[change](world, third)
    stale = await world.service.observe.get(await world.caller("A"), told.observation.memory.id)
    assert stale.stale
    assert {s.memory: s.changed for s in stale.sources if s.changed} == {third.id: change}
    assert stale.memory.stale is True
    assert [o.memory.id for o in await observed(world, "A", stale=True)] == [stale.memory.id]
    assert [o.memory.id for o in await observed(world, "A", stale=False)] == [other.memory.id]
    by_id = {a.memory.id: a.memory.stale for a in (await world.ask("B", SAME[0], min_score=0.0)).memories}
    assert by_id[stale.memory.id] is True  # ranked with the others, and marked
    assert by_id.get(other.memory.id) in (False, None)


async def test_the_upkeep_computes_it_anew_from_those_that_still_say_it(world: World) -> None:
    first, second, third = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    await _edit(world, third)
    assert await upkeep(world)() == 1
    fresh = await the_one(world, "A")
    assert fresh.memory.id == told.observation.memory.id
    assert not fresh.stale
    assert sources(fresh) == {first.id, second.id}
    assert {e.locator for e in fresh.memory.evidence} == {str(first.id), str(second.id)}
    assert await upkeep(world)() == 0


async def test_other_words_are_a_new_version_in_place(world: World) -> None:
    said = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    stated = next(m for m in said if m.content == told.observation.memory.content)
    await _edit(world, stated, who=stated.author.name)
    again = await world.service.observe.recompute(await world.caller("B"), told.observation.memory.id)
    assert again.outcome is Put.RECOMPUTED
    assert again.observation.memory.version == 2
    assert again.observation.memory.content in {m.content for m in said if m.id != stated.id}
    history = await world.service.read.history(await world.caller("A"), told.observation.memory.id)
    assert [v.change for v in history.versions] == ["recomputed", "observed"]
    assert stated.content not in await world.recalled("A", stated.content)
    once_more = await world.service.observe.recompute(await world.caller("B"), told.observation.memory.id)
    assert (once_more.outcome, once_more.observation.memory.version) == (Put.UNCHANGED, 2)


async def test_with_fewer_than_two_left_it_is_no_longer_in_results(world: World) -> None:
    said = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    for m in said[1:]:
        await _edit(world, m, f"{OTHER}, {m.author.name}", m.author.name)
    await upkeep(world)()
    assert await observed(world, "A") == []
    gone = await world.service.read.get(await world.caller("A"), told.observation.memory.id)
    assert gone.state is State.ARCHIVED
    with pytest.raises(Conflict):
        await world.service.observe.recompute(await world.caller("A"), gone.id)


async def test_a_source_that_comes_back_makes_it_stand_again(world: World) -> None:
    *_, third = await team_that_agrees(world)
    await consolidate(world)
    await _archive(world, third)
    assert (await the_one(world, "A")).stale
    await world.service.change.restore(await world.caller("C"), third.id)
    assert not (await the_one(world, "A")).stale


async def test_a_private_source_that_is_shared_has_other_readers_and_leaves_it(world: World) -> None:
    await world.agents("A", "B")
    said = [await world.write("A", t) for t in SAME]
    (told,) = (await consolidate(world, "A", None)).told
    await world.service.change.share(await world.caller("A"), said[2].id, "B", True)
    stale = await the_one(world, "A")
    assert {s.changed for s in stale.sources} == {None, Change.MOVED}
    await upkeep(world)()
    assert sources(await the_one(world, "A")) == {said[0].id, said[1].id}
    with pytest.raises(NotFound):
        await world.service.read.get(await world.caller("B"), told.observation.memory.id)


async def test_a_share_that_is_taken_back_takes_back_what_was_derived_from_it(world: World) -> None:
    await world.agents("A", "B")
    said = [await world.write("A", t, visible_to=("B",)) for t in SAME]
    (told,) = (await consolidate(world, "A", None)).told
    identity = told.observation.memory.id
    assert (await world.service.read.get(await world.caller("B"), identity)).content == told.observation.memory.content
    gone = next(m for m in said if m.content == told.observation.memory.content)
    left = {m.id for m in said} - {gone.id}
    await world.service.change.share(await world.caller("A"), gone.id, "B", False)
    for read in (world.service.read.get, world.service.read.history, world.service.observe.get):
        with pytest.raises(NotFound):
            await read(await world.caller("B"), identity)
    assert gone.content not in await world.recalled("B", gone.content, min_score=0.0)
    assert (await world.service.read.get(await world.caller("A"), identity)).state is State.ACTIVE
    await upkeep(world)()
    assert (await world.service.read.get(await world.caller("A"), identity)).state is State.ARCHIVED, "one source is left"
    assert sources(await the_one(world, "B")) == left, "what is still shared is stated anew"


async def test_former_words_of_an_observation_leave_with_the_share_of_a_former_source(world: World) -> None:
    await world.agents("A", "B")
    said = [await world.write("A", t, visible_to=("B",)) for t in SAME]
    (told,) = (await consolidate(world, "A", None)).told
    identity = told.observation.memory.id
    stated = next(m for m in said if m.content == told.observation.memory.content)
    await _edit(world, stated, OTHER, "A")
    await upkeep(world)()
    history = await world.service.read.history(await world.caller("B"), identity)
    assert stated.content in [v.content for v in history.versions]
    await world.service.change.share(await world.caller("A"), stated.id, "B", False)
    with pytest.raises(NotFound):
        await world.service.read.history(await world.caller("B"), identity)


async def test_words_of_ones_own_stay_while_their_quotes_stand(world: World) -> None:
    await world.agents("A", "C")
    await world.team("T", A="writer", C="writer")
    one = await world.write("A", "Builds fail when the disk is full, mostly on Mondays", team_id="T")
    two = await world.write("C", "磁盘满了以后构建会失败，需要先清理缓存", team_id="T")
    text = "A full disk makes builds fail."
    told = await make(world, "A", [one, two], text, quotes=(Quote(one.id, "fail when the disk is full"),))
    identity = told.observation.memory.id
    await _edit(world, one, "As we learned, builds fail when the disk is full", "A")
    kept = await world.service.observe.recompute(await world.caller("A"), identity)
    assert (kept.outcome, kept.observation.memory.content, kept.observation.stale) == (Put.UNCHANGED, text, False)
    await _edit(world, await world.service.read.get(await world.caller("A"), one.id), "Builds fail without a network", "A")
    fallen = await world.service.observe.recompute(await world.caller("A"), identity)
    assert fallen.outcome is Put.RECOMPUTED
    assert fallen.observation.made is Made.EXTRACTIVE
    assert fallen.observation.memory.content != text


async def test_who_may_not_write_there_does_not_recompute(world: World) -> None:
    await team_that_agrees(world)
    await world.agents("R")
    await world.join("T", "R", "reader")
    (told,) = (await consolidate(world)).told
    with pytest.raises(Forbidden):
        await world.service.observe.recompute(await world.caller("R"), told.observation.memory.id)
