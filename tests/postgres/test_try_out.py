"""A team to try it with: made whole or not at all, and worth trying because its two agents do not know each other's."""

from dataclasses import replace

import pytest

from made_up import github_token
from whoknows.domain.credential import Permission
from whoknows.domain.memory import Draft
from whoknows.domain.principal import Kind, Principal
from whoknows.errors import Invalid, NameTaken, PermissionMissing
from whoknows.flows.authenticate import act_as
from whoknows.flows.keys import NewKey
from whoknows.flows.recall import Question
from whoknows.flows.try_out import Cast, Progress
from worlds import World

CAST = Cast(member="me", first="ada", second="ben", team="workshop")


async def begun(world: World, cast: Cast = CAST) -> NewKey:
    return await world.service.try_out.begin(await world.admin(), cast)


async def names(world: World) -> set[str]:
    administer, admin = world.service.administer, await world.admin()
    found = (*await administer.agents(admin), *await administer.members(admin), *await administer.teams(admin))
    return {p.principal.space for p in found}


async def test_the_key_acts_as_both_agents_and_the_member_and_only_looks_besides(world: World) -> None:
    key = await world.service.authenticate((await begun(world)).secret)
    assert {p.space for p in key.acts_as} == {"agent:ada", "agent:ben", "member:me"}
    assert key.permissions == {Permission.INSPECT}


async def test_a_maker_without_inspect_gives_none(world: World) -> None:
    maker = await world.service.authenticate(await world.key(permissions=[Permission.ADMIN]))
    made = await world.service.try_out.begin(maker, CAST)
    assert (await world.service.authenticate(made.secret)).permissions == frozenset()


async def test_what_one_agent_keeps_the_other_does_not_know_until_it_is_published(world: World) -> None:
    key = await world.service.authenticate((await begun(world)).secret)
    ada, ben = act_as(key, "ada"), act_as(key, "ben")
    service = world.service
    first, second = _two(key.acts_as)
    assert await service.try_out.progress(key, first, second) == Progress()
    written = (await service.capture(ada, Draft("The greenhouse key hangs behind the blue pot."))).memory
    assert await service.try_out.progress(key, first, second) == Progress(wrote=True)
    asked = Question("Where is the greenhouse key?", min_score=0.0)
    assert not (await service.recall(ben, asked)).memories
    assert await service.try_out.progress(key, first, second) == Progress(wrote=True, asked=True)
    await service.publish(ada, written.id, "workshop")
    assert await service.try_out.progress(key, first, second) == Progress(wrote=True, asked=True, published=True)
    [found] = (await service.recall(ben, asked)).memories
    assert found.memory.origin is not None
    assert await service.try_out.progress(key, first, second) == Progress(True, True, True, True)


@pytest.mark.parametrize("field", ["member", "first", "second", "team"])
async def test_a_taken_name_is_named_and_nothing_is_left_behind(world: World, field: str) -> None:
    await begun(world)
    before = await names(world)
    other = replace(Cast("m2", "a2", "b2", "t2"), **{field: getattr(CAST, field)})
    with pytest.raises(NameTaken) as fault:
        await begun(world, other)
    assert fault.value.field == field
    assert await names(world) == before
    await begun(world, Cast("m2", "a2", "b2", "t2"))


async def test_the_name_of_one_who_was_deleted_is_taken_too(world: World) -> None:
    await begun(world)
    await world.service.administer.remove_agent(await world.admin(), "ada")
    before = await names(world)
    with pytest.raises(NameTaken):
        await begun(world, Cast("m2", "ada", "b2", "t2"))
    assert await names(world) == before


@pytest.mark.parametrize("name", ["", "*", "agent:x", "a\nb", "x" * 201, "a\0b"])
async def test_what_cannot_be_a_name_is_refused_with_its_field(world: World, name: str) -> None:
    with pytest.raises(Invalid) as fault:
        await begun(world, replace(CAST, second=name))
    assert fault.value.field == "second"
    assert await names(world) == {"*"}


async def test_one_name_for_two_agents_is_refused(world: World) -> None:
    with pytest.raises(Invalid):
        await begun(world, replace(CAST, second="ada"))


@pytest.mark.parametrize("name", ["悟空", "<b>ada</b>", "a/b%2F_", "{first}"])
async def test_names_of_any_characters_will_do(world: World, name: str) -> None:
    key = await world.service.authenticate((await begun(world, replace(CAST, first=name))).secret)
    assert f"agent:{name}" in {p.space for p in key.acts_as}


async def test_who_does_not_administer_begins_nothing(world: World) -> None:
    await world.agents("A")
    for secret in (world.keys["A"], await world.key(permissions=[Permission.AUDIT])):
        with pytest.raises(PermissionMissing):
            await world.service.try_out.begin(await world.service.authenticate(secret), CAST)
    assert await names(world) == {"*", "agent:A"}


async def test_a_name_that_holds_a_secret_is_refused(world: World) -> None:
    with pytest.raises(Invalid):
        await begun(world, replace(CAST, team=github_token()))
    assert await names(world) == {"*"}


def _two(acts_as: tuple[Principal, ...]) -> tuple[Principal, Principal]:
    first, second = sorted((p for p in acts_as if p.kind is Kind.AGENT), key=lambda p: p.id)
    return first, second
