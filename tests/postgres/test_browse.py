"""Browsing: what a person looks through is what the reader may see, with its own copies and nobody else's."""

import pytest

from whoknows.domain.memory import Filters, State
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.errors import NotFound
from whoknows.flows.browse import Kept
from whoknows.flows.inject import Gift
from whoknows.policy.standing import scope_for
from whoknows.policy.whose import Whose
from worlds import World


async def shelf(world: World, who: str, whose: Whose | None = None, **filters: object) -> list[str]:
    caller = await world.caller(who)
    (page,) = await world.service.browse.shelves(caller, [Filters(**filters)], whose, 50)  # pyright: ignore[reportArgumentType]
    return [k.memory.content for k in page.items]


async def one(world: World, who: str, memory: object) -> Kept:
    return await world.service.browse.one(await world.caller(who), memory)  # pyright: ignore[reportArgumentType]


async def test_each_part_shows_its_own_and_together_all_that_one_may_know(world: World) -> None:
    await world.members("robin")
    await world.agents("A", account="robin")
    await world.agents("B")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.team("T", A="writer", B="writer")
    await world.write("A", "mine")
    await world.write("A", "the account's", account="robin")
    await world.write("B", "the team's", team_id="T")
    shared = await world.write("B", "shared")
    await world.service.change.share(await world.caller("B"), shared.id, "A", True)
    await world.write("B", "hidden from A")
    assert await shelf(world, "A", Whose.MINE) == ["mine"]
    assert await shelf(world, "A", Whose.ACCOUNT) == ["the account's"]
    assert await shelf(world, "A", Whose.TEAM) == ["the team's"]
    assert await shelf(world, "A", Whose.GIVEN) == ["shared"]
    assert set(await shelf(world, "A")) == {"mine", "the account's", "the team's", "shared"}
    assert await shelf(world, "member:robin", Whose.MINE) == ["the account's"]
    for whose in Whose:
        assert "hidden from A" not in await shelf(world, "A", whose)
        found = await world.ask("A", "hidden mine account team shared", whose=whose, min_score=0.0)
        assert {a.memory.content for a in found.memories} <= set(await shelf(world, "A", whose))
        assert {s.space for s in found.searched} <= {"agent:A", "member:robin", "team:T", "*", "agent:B"}


async def test_a_search_of_one_part_says_that_it_searched_that_part_alone(world: World) -> None:
    await world.agents("A")
    await world.write("A", "The bridge is closed.")
    found = await world.ask("A", "Is the bridge closed?", whose=Whose.TEAM)
    assert found.outcome == "no_match"
    assert [s.space for s in found.searched] == ["*"]
    assert (await world.ask("A", "Is the bridge closed?", whose=Whose.MINE)).outcome == "ok"


async def test_copies_are_told_to_the_one_who_made_them_and_to_nobody_else(world: World) -> None:
    await world.agents("A", "B")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.team("T", A="writer", B="writer")
    memory = await world.write("A", "to be copied")
    caller = await world.caller("A")
    await world.service.change.share(caller, memory.id, "B", True)
    await world.service.publish(caller, memory.id, "T")
    await world.service.inject(caller, Gift("S", "carry it", memory_ids=(memory.id,)))
    made = await one(world, "A", memory.id)
    assert [p.publication.team.name for p in made.published] == ["T"]
    assert [g.target.name for g in made.given] == ["S"]
    assert made.copies == 2
    other = await one(world, "B", memory.id)
    assert (other.published, other.given, other.copies) == ((), (), 0)
    async with world.service.store.read(await world.caller("B")) as tx:
        scope = scope_for(await tx.directory.standing())
        assert await tx.handover.given_of(scope, [memory.id]) == []
        assert await tx.publications.of(scope, [memory.id]) == []

    await world.service.inject.withdraw(caller, made.given[0].id)
    await world.service.publications.withdraw(caller, made.published[0].publication.id)
    after = await one(world, "A", memory.id)
    assert (after.given, after.copies) == ((), 0)
    gone = await world.service.forget(caller, memory.id)
    assert gone.deleted == 1


async def test_the_count_of_copies_is_what_a_deletion_then_takes(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    memory = await world.write("A", "published twice")
    caller = await world.caller("A")
    await world.team("U", A="writer")
    await world.service.publish(caller, memory.id, "T")
    await world.service.publish(caller, memory.id, "U")
    told = (await one(world, "A", memory.id)).copies
    assert told == 2
    assert (await world.service.forget(caller, memory.id)).copied == told


async def test_rights_are_those_that_the_verbs_would_grant(world: World) -> None:
    await world.agents("A", "B")
    await world.agents("N", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.team("T", A="writer", B="reader")
    mine = await world.write("A", "mine")
    teams = await world.write("A", "the team's", team_id="T")
    own = (await one(world, "A", mine.id)).rights
    assert (own.edit, own.delete, own.share, [t.name for t in own.publish_to]) == (True, True, True, ["T"])
    read = (await one(world, "B", teams.id)).rights
    assert (read.edit, read.delete, read.share, read.publish_to) == (False, False, False, ())
    await world.service.inject(await world.caller("A"), Gift("S", "hold it", memory_ids=(mine.id,)))
    (page,) = await world.service.browse.shelves(await world.caller("S"), [Filters()], Whose.GIVEN, 10)
    given = page.items[0].rights
    assert (given.edit, given.delete, given.share, given.publish_to) == (False, False, False, ())
    strict = await world.write("N", "only mine")
    assert (await one(world, "N", strict.id)).rights.publish_to == ()
    await world.service.change.archive(await world.caller("A"), mine.id)
    away = (await one(world, "A", mine.id)).rights
    assert (away.edit, away.delete, away.publish_to) == (True, True, ())
    assert await shelf(world, "A", state=State.ARCHIVED) == ["mine"]


async def test_last_use_is_the_reader_s_own(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    memory = await world.write("A", "used by A", team_id="T")
    async with world.service.store.write(await world.caller("A")) as tx:
        await tx.context.use([memory.id])
    assert (await one(world, "A", memory.id)).last_used is not None
    assert (await one(world, "B", memory.id)).last_used is None


async def test_what_is_hidden_is_absent(world: World) -> None:
    await world.agents("A", "B")
    memory = await world.write("A", "only A's")
    with pytest.raises(NotFound):
        await one(world, "B", memory.id)
    assert list(await world.service.browse.these(await world.caller("B"), [memory])) == []
