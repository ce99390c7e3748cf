"""The second lock of workplaces and stages: without any filter in a statement, the policies and the functions hold alone."""

from hashlib import sha256
from typing import Any

import psycopg
import pytest
import pytest_asyncio
from raw import column, second_lock_alone

from acceptance.rest.shared import founded, founder, world
from whoknows.domain.credential import Caller, Permission
from whoknows.domain.harness import Program, Stage
from whoknows.domain.principal import AgentRole, Clearance
from worlds import World

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
PLACE = sha256(b"there").digest()
REGISTER = "SELECT register_workplace(%s, 'pi', 'm', '/srv/x', 'boss', 1000)"
UNREGISTER = "SELECT unregister_workplace(%s, 'pi')"
SET = "SELECT set_stage('boss', %s, %s, NULL)"


@pytest_asyncio.fixture(loop_scope="session")
async def office(world: World) -> World:
    """ana with A on the team T and C who is not, her sub-agent S and N who needs to know, ben, a lone L; A registered one."""
    await world.members("ana", "ben")
    await world.agents("A", "C", account="ana")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.agents("N", account="ana", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("L")
    await world.team("T", A="reader", L="reader")
    await world.service.banks.route(await world.admin(), "boss", "T", [])
    a = await world.caller("A")
    await world.service.workplaces.register(a, Program.PI, "m", "/srv/boss", "boss")
    await world.service.stages.set(a, "boss", Stage.READ_ONLY)
    return world


async def seen(world: World, caller: Caller, statement: Any, params: Any = None) -> list[Any]:
    async with second_lock_alone(world.installation.dsn, caller) as connection:
        return await column(connection, statement, params)


async def refused(world: World, caller: Caller, statement: Any, params: Any) -> str:
    async with second_lock_alone(world.installation.dsn, caller) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as fault:
            await connection.execute(statement, params)
        return (fault.value.diag.message_primary or "").partition(":")[0]


async def test_each_sees_those_of_its_account_and_nothing_else(office: World, founder: World) -> None:
    a = await office.caller("A")
    other = await founded(founder)
    await other.members("ana")
    strangers = [
        *[await office.caller(n) for n in ("S", "N", "L", "member:ben")],
        await other.caller("member:ana"),
        Caller(a.credential, (await office.caller("member:ana")).principal),
        Caller(await office.admin(), None),
        Caller(a.credential, None),
    ]
    for statement in ("SELECT directory FROM workplaces", "SELECT stage FROM stage_changes"):
        for name in ("A", "C", "member:ana"):
            assert len(await seen(office, await office.caller(name), statement)) == 1, (statement, name)
        for stranger in strangers:
            assert await seen(office, stranger, statement) == [], (statement, stranger.principal)


async def test_a_key_for_a_task_has_none_whatever_it_claims(office: World) -> None:
    caller = await office.caller("A", await office.key("A", task="t1"))
    for claimed in (
        caller,
        Caller(caller.credential, caller.principal, None),
        Caller(caller.credential, caller.principal, "x"),
    ):
        assert await seen(office, claimed, "SELECT my_workplace_owner()") == [None]
        assert await seen(office, claimed, "SELECT directory FROM workplaces") == []
        for statement, params in ((REGISTER, (PLACE,)), (UNREGISTER, (PLACE,)), (SET, ("read-only", "off"))):
            assert await refused(office, claimed, statement, params) == "no_workplaces"


async def test_nobody_writes_past_the_functions(office: World) -> None:
    a = await office.caller("A")
    for table in ("workplaces", "stage_changes"):
        for statement in (
            f"DELETE FROM {table}",
            f"UPDATE {table} SET project_id = 'x'",
            f"INSERT INTO {table} DEFAULT VALUES",
        ):
            assert await refused(office, a, statement, None) == f"permission denied for table {table}"
    assert (await refused(office, a, "SELECT must_keep_workplaces()", None)).startswith("permission denied for function")
    assert (await refused(office, a, "SELECT sweep_workplaces('0 days')", None)).startswith("permission denied for function")


async def test_the_eyes_of_another_see_and_write_nothing(office: World) -> None:
    operator = await office.caller("L", await office.key("L", permissions=[Permission.INSPECT]))
    eyes = Caller(operator.credential, (await office.caller("A")).principal, seen_as=True)
    assert await seen(office, eyes, "SELECT directory FROM workplaces") == ["/srv/boss"]
    for statement, params in ((REGISTER, (PLACE,)), (UNREGISTER, (PLACE,)), (SET, ("read-only", "off"))):
        assert await refused(office, eyes, statement, params) == "no_workplaces"


async def test_a_stage_is_stepped_and_never_jumped_and_team_is_for_those_on_it(office: World) -> None:
    a, c = await office.caller("A"), await office.caller("C")
    assert await refused(office, a, SET, ("read-only", "team")) == "stage_unreachable"
    assert await seen(office, a, SET, ("off", "read-only")) == [False], "it is not off any more"
    assert await seen(office, a, SET, ("read-only", "read-only")) == [True]
    await office.service.stages.set(a, "boss", Stage.GOVERNED)
    assert await refused(office, c, SET, ("governed", "team")) == "stage_unreachable"
    assert await seen(office, a, SET, ("governed", "team")) == [True]
    assert await seen(office, c, SET, ("governed", "off")) == [True]


async def test_others_take_nothing_away_and_keep_their_own(office: World) -> None:
    taken = "SELECT unregister_workplace(place, program) FROM (VALUES (%s::bytea, 'pi')) v (place, program)"
    async with await psycopg.AsyncConnection.connect(office.installation.dsn) as owner:
        a = await office.caller("A")
        rows = await owner.execute("SELECT place FROM whoknows.workplaces WHERE tenant_id = %s", (a.credential.tenant_id,))
        ((place,),) = await rows.fetchall()
    for name in ("N", "L", "member:ben"):
        assert await seen(office, await office.caller(name), taken, (place,)) == [False], name
    assert await refused(office, await office.caller("S"), taken, (place,)) == "no_workplaces"
    assert await seen(office, await office.caller("C"), taken, (place,)) == [True]


async def test_no_more_are_registered_than_there_may_be(office: World) -> None:
    some = "SELECT register_workplace(%s, 'pi', 'm', '/srv/x', 'boss', 1)"
    assert await seen(office, await office.caller("A"), some, (PLACE,)) == [False]
    assert await seen(office, await office.caller("L"), some, (PLACE,)) == [True]


async def test_what_an_account_registered_ends_with_it(office: World) -> None:
    """At once nothing is routed; after the grace nothing is left."""
    admin, a, lone = await office.admin(), await office.caller("A"), await office.caller("L")
    await office.service.workplaces.register(lone, Program.PI, "m", "/srv/lone", "boss")
    await office.service.stages.set(lone, "boss", Stage.READ_ONLY)
    for name in ("S", "A", "C", "N"):
        await office.service.administer.remove_agent(admin, name)
    await office.service.administer.remove_member(admin, "ana")
    assert await seen(office, a, "SELECT directory FROM workplaces") == []
    here = f"WHERE tenant_id = {a.credential.tenant_id}"
    async with await psycopg.AsyncConnection.connect(office.installation.dsn, autocommit=True) as owner:
        await office.service.work.sweep_old()
        for table in ("workplaces", "stage_changes"):
            assert len(await (await owner.execute(f"SELECT FROM whoknows.{table} {here}")).fetchall()) == 2
        await owner.execute(f"UPDATE whoknows.principals SET deleted_at = now() - interval '1 year' {here} AND name = 'ana'")
        await office.service.work.sweep_old()
        for table in ("workplaces", "stage_changes"):
            assert len(await (await owner.execute(f"SELECT FROM whoknows.{table} {here}")).fetchall()) == 1
    assert await seen(office, lone, "SELECT directory FROM workplaces") == ["/srv/lone"]
