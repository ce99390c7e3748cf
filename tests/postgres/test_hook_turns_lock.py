"""The second lock over hook turns: whatever is sent, figures are one account's alone, and no request reads an exchange."""

from uuid import uuid4

import pytest
from psycopg import errors
from psycopg.types.json import Jsonb
from raw import column, second_lock_alone

from whoknows.domain.principal import AgentRole, Clearance
from worlds import World

TURN = {
    "program": "codex", "session_id": "s", "turn_id": "t", "project_id": "boss", "stage": "governed", "event": "prompt",
    "outcome": "injected", "reason": None, "memories": [], "characters": 3, "tokens": 1, "took_ms": 1.0,
}  # fmt: skip
NOTE = "SELECT note_hook_turn(%s)"
KEEP = "SELECT keep_prompt('codex', 's', %s, 'boss', 'what was asked', 20)"
ANSWER = "SELECT keep_answer('codex', 's', %s, 'boss', 'what was answered')"


def turn(**fields: object) -> tuple[Jsonb]:
    return (Jsonb({"id": str(uuid4()), **TURN, **fields}),)


@pytest.fixture
async def people(world: World) -> World:
    await world.members("mira", "noor")
    await world.agents("hers", account="mira")
    await world.agents("free")
    await world.agents("strict", account="mira", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("sub", role=AgentRole.SUB, parent="hers", account="mira")
    async with world.service.store.write(await world.caller("member:mira")) as tx:
        sql = tx.hook_turns._sql  # pyright: ignore[reportAttributeAccessIssue]
        await sql.run(NOTE, turn())
        await sql.run(KEEP, ("t",))
    return world


async def test_figures_are_the_accounts_alone_and_texts_nobodys(people: World) -> None:
    for who, sees in (("member:mira", 1), ("hers", 1), ("member:noor", 0), ("free", 0), ("strict", 0), ("sub", 0)):
        async with second_lock_alone(people.installation.dsn, await people.caller(who)) as connection:
            assert len(await column(connection, "SELECT id FROM hook_turns")) == sees, who
            with pytest.raises(errors.InsufficientPrivilege):
                await connection.execute("SELECT prompt FROM hook_exchanges")


@pytest.mark.parametrize("statement", ["DELETE FROM hook_turns", "UPDATE hook_turns SET reason = 'forged'"])
async def test_no_request_changes_figures_by_hand(people: World, statement: str) -> None:
    async with second_lock_alone(people.installation.dsn, await people.caller("member:mira")) as connection:
        with pytest.raises(errors.InsufficientPrivilege):
            await connection.execute(statement.encode())


async def test_who_has_no_workplaces_notes_nothing_and_who_has_no_account_keeps_nothing(people: World) -> None:
    dsn = people.installation.dsn
    async with second_lock_alone(dsn, await people.caller("sub")) as connection:
        with pytest.raises(errors.InsufficientPrivilege, match="no_workplaces"):
            await connection.execute(NOTE, turn())
    for who in ("free", "strict", "sub"):
        for statement, given in ((KEEP, ("x",)), (ANSWER, ("x",)), ("SELECT waiting_turn('codex', 's')", ())):
            async with second_lock_alone(dsn, await people.caller(who)) as connection:
                with pytest.raises(errors.InsufficientPrivilege, match="no_account"):
                    await connection.execute(statement.encode(), given)


async def test_the_same_number_of_another_account_is_another_turn(people: World) -> None:
    dsn = people.installation.dsn
    async with second_lock_alone(dsn, await people.caller("member:noor")) as connection:
        assert await column(connection, NOTE, turn(reason="noor's")) == [True]
        assert await column(connection, "SELECT waiting_turn('codex', 's')") == [None]
        await connection.execute(ANSWER, ("t",))
        assert await column(connection, "SELECT reason FROM hook_turns") == ["noor's"]
        assert await column(connection, "SELECT settle_exchange(gen_random_uuid(), gen_random_uuid())") == [False]
    async with second_lock_alone(dsn, await people.caller("hers")) as connection:
        assert await column(connection, "SELECT waiting_turn('codex', 's')") == ["t"]
        assert await column(connection, NOTE, turn(reason="again")) == [False]
        assert await column(connection, "SELECT reason FROM hook_turns") == [None]


async def test_more_that_was_put_beside_the_same_turn_is_added_once(people: World) -> None:
    first, second = str(uuid4()), str(uuid4())
    async with second_lock_alone(people.installation.dsn, await people.caller("member:mira")) as connection:
        await connection.execute(NOTE, turn(memories=[first], characters=10))
        await connection.execute(NOTE, turn(memories=[first, second], characters=20))
        await connection.execute(NOTE, turn(memories=[second], characters=20))
        assert [[str(m) for m in found] for found in await column(connection, "SELECT memories FROM hook_turns")] == [
            [first, second]
        ]
        assert await column(connection, "SELECT characters FROM hook_turns") == [3 + 10 + 20]
