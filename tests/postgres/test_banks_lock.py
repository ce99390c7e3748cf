"""The second lock of banks and corrections: without any filter in a statement, the policies and the functions hold alone."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest
import pytest_asyncio
from raw import column, second_lock_alone

from acceptance.rest.shared import founded, founder, world
from whoknows.domain.bank import FactContext
from whoknows.domain.credential import Caller
from whoknows.domain.principal import Clearance
from whoknows.flows.corrections import Said
from worlds import World

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
RECORD = "SELECT record_correction(%s, %s, 'x', NULL, NULL, NULL, NULL, %s, NULL, now())"


@pytest_asyncio.fixture(loop_scope="session")
async def divided(world: World) -> World:
    """A and R on T (R reads), B on U, N on T with the need to know; `boss` goes to T; a correction in each of three banks."""
    await world.agents("A", "B", "R")
    await world.agents("N", clearance=Clearance.NEED_TO_KNOW)
    await world.team("T", A="writer", R="reader", N="writer")
    await world.team("U", B="owner")
    admin = await world.admin()
    await world.service.banks.route(admin, "boss", "T", ["https://git.example.org/acme/boss"])
    await world.service.banks.route(admin, "lost", None, ["https://git.example.org/acme/lost"])
    for who, context in (("A", FactContext.PERSONAL), ("A", FactContext.TEAM), ("B", FactContext.PERSONAL)):
        said = Said(f"{who} {context}", context, project_id="boss" if context is FactContext.TEAM else None)
        await world.service.corrections.record(await world.caller(who), said)
    return world


async def seen(world: World, caller: Caller, statement: Any) -> list[Any]:
    async with second_lock_alone(world.installation.dsn, caller) as connection:
        return await column(connection, statement)


async def refused(world: World, caller: Caller, statement: Any, params: Any) -> str:
    async with second_lock_alone(world.installation.dsn, caller) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as fault:
            await connection.execute(statement, params)
        return (fault.value.diag.message_primary or "").partition(":")[0]


async def test_each_sees_what_stands_in_the_banks_that_it_reads_and_nothing_else(divided: World, founder: World) -> None:
    callers = {n: await divided.caller(n) for n in ("A", "B", "R", "N")}
    nobody = Caller(callers["A"].credential, callers["B"].principal)
    theirs = Caller(await (await founded(founder)).admin(), None)
    admin = Caller(await divided.admin(), None)
    expected = {
        "SELECT project_id FROM project_banks": {"A": ["boss"], "R": ["boss"], "B": [], "N": []},
        "SELECT remote FROM project_remotes": {n: ["git.example.org/acme/boss"] if n in "AR" else [] for n in callers},
        "SELECT text FROM corrections ORDER BY text": {
            "A": ["A personal", "A team"],
            "R": ["A team"],
            "B": ["B personal"],
            "N": [],
        },
    }
    for statement, by_name in expected.items():
        for name, rows in by_name.items():
            assert await seen(divided, callers[name], statement) == rows, (name, statement)
        for other in (nobody, theirs):
            assert await seen(divided, other, statement) == [], statement
    assert await seen(divided, admin, "SELECT project_id FROM project_banks") == ["boss"]
    assert len(await seen(divided, admin, "SELECT remote FROM project_remotes")) == 2
    assert await seen(divided, admin, "SELECT text FROM corrections") == []


async def test_nobody_writes_past_the_functions(divided: World) -> None:
    a = await divided.caller("A")
    for table in ("project_banks", "project_remotes", "corrections"):
        for statement in (
            f"DELETE FROM {table}",
            f"UPDATE {table} SET project_id = 'x'",
            f"INSERT INTO {table} DEFAULT VALUES",
        ):
            assert await refused(divided, a, statement, None) == f"permission denied for table {table}"


async def test_a_correction_is_recorded_where_one_writes_about_what_one_sees(divided: World) -> None:
    a, b, r = [await divided.caller(n) for n in "ABR"]
    hidden = await divided.write("B", "B's own")
    mine = await divided.write("A", "A's own")
    teams = await divided.write("A", "the team's", team_id="T")
    inner = (await divided.service.read.get(b, hidden.id)).audience.id
    own = mine.audience.id
    assert await refused(divided, a, RECORD, (uuid4(), inner, None)) == "may_not_write"
    assert await refused(divided, r, RECORD, (uuid4(), teams.audience.id, None)) == "may_not_write"
    assert await refused(divided, a, RECORD, (uuid4(), own, hidden.id)) == "unknown_memory"
    assert await refused(divided, a, RECORD, (uuid4(), own, uuid4())) == "unknown_memory"
    admin = Caller(await divided.admin(), None)
    assert await refused(divided, admin, RECORD, (uuid4(), own, None)) == "may_not_write"
    async with second_lock_alone(divided.installation.dsn, a) as connection:
        await connection.execute(RECORD, (uuid4(), own, mine.id))
        assert len(await column(connection, "SELECT text FROM corrections")) == 3


async def test_a_correction_is_deleted_by_those_whose_it_is(divided: World) -> None:
    a, b, r = [await divided.caller(n) for n in "ABR"]
    everything = {c.text: c.id for c in (await divided.service.corrections.list(a, None, 10, None)).items}
    forget = "SELECT forget_correction(%s)"
    assert await refused(divided, r, forget, (everything["A team"],)) == "may_not_change"
    for caller, text in ((b, "A team"), (r, "A personal"), (b, "A personal")):
        async with second_lock_alone(divided.installation.dsn, caller) as connection:
            assert await column(connection, forget, (everything[text],)) == [False]
    async with second_lock_alone(divided.installation.dsn, a) as connection:
        assert await column(connection, forget, (everything["A team"],)) == [True]


async def test_a_project_is_routed_by_administrators_to_teams_of_their_tenant(divided: World, founder: World) -> None:
    a = await divided.caller("A")
    admin = Caller(await divided.admin(), None)
    route = "SELECT route_project('boss', %s, '{}')"
    theirs = Caller(await (await founded(founder)).admin(), None)
    (team,) = await seen(divided, a, "SELECT principal_id FROM principals WHERE kind = 'team' AND name = 'T'")
    (agent,) = await seen(divided, a, "SELECT principal_id FROM principals WHERE kind = 'agent' AND name = 'A'")
    assert await refused(divided, a, route, (team,)) == "permission_missing"
    assert await refused(divided, theirs, route, (team,)) == "unknown_reader"
    assert await refused(divided, admin, route, (agent,)) == "unknown_reader"
    assert await seen(divided, a, "SELECT project_id FROM project_banks") == ["boss"]


async def test_what_is_recorded_ends_with_its_bank(divided: World) -> None:
    """After the grace of a departed agent; before, it is nobody's to see."""
    admin = await divided.admin()
    a = await divided.caller("A")
    await divided.service.administer.remove_agent(admin, "A")
    assert await seen(divided, a, "SELECT text FROM corrections") == []
    await divided.service.work.sweep_old()
    here = f"tenant_id = {a.credential.tenant_id}"
    count = f"SELECT text FROM whoknows.corrections WHERE {here} ORDER BY text"
    async with await psycopg.AsyncConnection.connect(divided.installation.dsn) as connection:
        assert await column_of(connection, count) == ["A personal", "A team", "B personal"]
        long_ago = datetime(2020, 1, 1, tzinfo=UTC)
        await connection.execute(
            f"UPDATE whoknows.principals SET deleted_at = %s WHERE name = 'A' AND {here}".encode(), (long_ago,)
        )
        await connection.commit()
        await divided.service.work.sweep_old()
        assert await column_of(connection, count) == ["A team", "B personal"]


async def column_of(connection: psycopg.AsyncConnection[Any], statement: Any) -> list[Any]:
    return [r[0] for r in await (await connection.execute(statement.encode())).fetchall()]
