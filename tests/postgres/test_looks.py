"""The look of a principal: given once, kept for ever, and told of nobody whom no list names to the caller."""

import asyncio

import psycopg
import pytest
from psycopg.rows import DictRow
from raw import entered, first_lock_alone, second_lock_alone

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.principal import AgentRole
from whoknows.flows.authenticate import administer_as
from whoknows.stores.postgres.directory import PostgresDirectory
from whoknows.stores.postgres.session import Sql
from worlds import World


@pytest.fixture
async def household(world: World) -> World:
    """Mira with her main agent and its sub-agents, two of one team, and a stranger with an agent of its own."""
    await world.members("mira", "stranger")
    await world.agents("hers", account="mira")
    await world.agents("sub", "sub two", role=AgentRole.SUB, parent="hers")
    await world.agents("sub of sub", role=AgentRole.SUB, parent="sub")
    await world.agents("mate", "alone", "悟空")
    await world.team("T", hers="writer", mate="writer")
    await world.team("U", alone="writer")
    return world


async def test_people_and_agents_are_numbered_together_in_the_order_they_came(household: World) -> None:
    looks = await household.service.looks(administer_as(await household.admin()))
    assert looks == {
        "member:mira": 0, "member:stranger": 1, "*": 0, "team:T": 1, "team:U": 2,
        "agent:hers": 2, "agent:sub": 3, "agent:sub two": 4, "agent:sub of sub": 5, "agent:mate": 6, "agent:alone": 7,
        "agent:悟空": 8,
    }  # fmt: skip


async def test_a_look_stays_whatever_becomes_of_the_others_and_is_not_given_again(household: World) -> None:
    admin = administer_as(await household.admin())
    before = await household.service.looks(admin)
    await household.service.administer.remove_agent(admin.credential, "alone")
    await household.service.administer.change_member(admin.credential, "mira", frozenset({"name"}), "Mira", None)
    await household.agents("new")
    after = await household.service.looks(admin)
    assert after == {k: v for k, v in before.items() if k != "agent:alone"} | {"agent:new": 9}


async def test_after_sixty_four_the_first_one_comes_again(world: World) -> None:
    await world.agents(*(f"agent {n}" for n in range(66)))
    looks = await world.service.looks(administer_as(await world.admin()))
    assert [looks[f"agent:agent {n}"] for n in range(66)] == [*range(64), 0, 1]


async def test_those_who_are_made_at_once_get_one_each(world: World) -> None:
    await asyncio.gather(*(world.agents(f"agent {n}") for n in range(24)))
    looks = await world.service.looks(administer_as(await world.admin()))
    assert sorted(n for space, n in looks.items() if space.startswith("agent:")) == list(range(24))


async def test_each_tenant_begins_with_the_first_and_is_told_of_none_of_another(household: World) -> None:
    made = await household.service.keys.create_tenant(await household.admin(), "elsewhere")
    elsewhere = administer_as(await household.service.authenticate(made.secret))
    assert await household.service.looks(elsewhere) == {"*": 0}


@pytest.mark.parametrize(
    ("who", "told"),
    [
        ("hers", {"agent:hers", "agent:sub", "agent:sub two", "agent:sub of sub", "member:mira", "agent:mate", "team:T", "*"}),
        ("sub", {"agent:sub", "agent:hers", "agent:sub of sub", "*"}),
        ("sub two", {"agent:sub two", "agent:hers", "*"}),
        ("mate", {"agent:mate", "agent:hers", "team:T", "*"}),
        ("alone", {"agent:alone", "team:U", "*"}),
        ("悟空", {"agent:悟空", "*"}),
        ("member:mira", {"member:mira", "*"}),
    ],
)
async def test_one_is_told_of_whom_the_lists_name_and_of_nobody_else(household: World, who: str, told: set[str]) -> None:
    caller = await household.caller(who)
    everybody = await household.service.looks(administer_as(await household.admin()))
    looks = await household.service.looks(caller)
    assert set(looks) == told == await _named(household, caller)
    assert looks == {k: everybody[k] for k in told}


async def test_an_administrator_is_told_of_everybody_as_the_lists_do(household: World) -> None:
    caller = administer_as(await household.admin())
    assert set(await household.service.looks(caller)) == await _named(household, caller)
    assert len(await household.service.looks(caller)) == 12


async def test_with_the_eyes_of_another_one_is_told_what_the_other_is_told(household: World) -> None:
    secret = await household.key("alone", permissions=[Permission.ADMIN, Permission.INSPECT])
    credential = await household.service.authenticate(secret)
    assert len(await household.service.looks(administer_as(credential))) == 12
    for who in ("mate", "hers", "member:mira"):
        eyes = await household.service.authenticate.seen_as(credential, who, "GET /knows")
        assert await household.service.looks(eyes) == await household.service.looks(await household.caller(who))


async def test_each_lock_alone_tells_the_same(household: World) -> None:
    for who in ("hers", "sub", "mate", "alone", "member:mira"):
        caller = await household.caller(who)
        expected = await household.service.looks(caller)
        async with first_lock_alone(household.installation.dsn, caller) as sql:
            assert await PostgresDirectory(sql).looks() == expected
        async with second_lock_alone(household.installation.dsn, caller) as connection:
            assert await PostgresDirectory(Sql(connection)).looks() == expected


async def test_a_key_that_has_ended_is_told_of_nobody(household: World) -> None:
    caller = await household.caller("mate")
    await household.service.keys.revoke(await household.admin(), caller.credential.id)
    assert await household.service.looks(caller) == {}


async def test_nobody_chooses_a_look(household: World) -> None:
    caller = administer_as(await household.admin())
    async with second_lock_alone(household.installation.dsn, caller) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute("UPDATE principals SET look = 9")
    async with entered(household.installation.dsn, None, "", "", "") as connection:
        assert await _given(connection, "'agent', 'main', 60") == 9
        assert await _given(connection, "'member', NULL, NULL") == 10


async def _given(connection: psycopg.AsyncConnection[DictRow], kind_role_look: str) -> int:
    made = (
        "INSERT INTO principals (tenant_id, name, kind, role, look) "
        f"SELECT tenant_id, 'made', {kind_role_look} FROM tenants WHERE name = 'default' RETURNING look"
    )
    row = await (await connection.execute(made.encode())).fetchone()
    assert row is not None
    return row["look"]


async def _named(world: World, caller: Caller) -> set[str]:
    """Every space that the lists of administration hold for the same key."""
    administer, credential = world.service.administer, caller.credential
    agents, teams = await administer.agents(credential), await administer.teams(credential)
    found = {a.principal for a in agents} | {a.parent for a in agents} | {a.account for a in agents}
    found |= {m.principal for m in await administer.members(credential)}
    found |= {t.principal for t in teams} | {m.principal for t in teams for m in t.members}
    return {p.space for p in found if p is not None}
