"""The second lock over conversations: whatever statement is sent, they are one account's alone."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from raw import claims, column, second_lock_alone

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.flows.converse import Said
from whoknows.flows.exchange import Ended
from worlds import World

BEGIN = "SELECT begin_exchange(%s, 'boss', %s, %s, %s, 'text', %s, interval '15 seconds')"
FINISH = "SELECT finish_exchange(%s, NULL, 'forged', 'full', NULL, NULL, '[]', gen_random_uuid())"


@dataclass
class Talked:
    """Mira has one conversation of one exchange, by her own key."""

    world: World
    conversation: UUID
    message: UUID
    answer: UUID

    async def caller(self, who: str) -> Caller:
        return await self.world.caller(who)

    @property
    def dsn(self) -> str:
        return self.world.installation.dsn


@pytest.fixture
async def talked(world: World) -> Talked:
    await world.members("mira", "noor")
    await world.agents("hers", account="mira")
    await world.agents("free")
    await world.agents("strict", account="mira", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("sub", role=AgentRole.SUB, parent="hers", account="mira")
    caller = await world.caller("member:mira")
    ends = [e async for e in world.service.converse(caller, Said("boss", "a secret question")) if isinstance(e, Ended)]
    exchange = ends[0].turn.exchange
    return Talked(world, ends[0].conversation, exchange.message_id, exchange.answer_id)


async def rows(connection: AsyncConnection[DictRow]) -> tuple[int, int]:
    return (
        len(await column(connection, "SELECT conversation_id FROM conversations")),
        len(await column(connection, "SELECT message_id FROM exchanges")),
    )


@pytest.mark.parametrize(
    ("who", "sees"), [("member:mira", 1), ("hers", 1), ("member:noor", 0), ("free", 0), ("strict", 0), ("sub", 0)]
)
async def test_rows_are_seen_by_the_member_and_its_main_agents_alone(talked: Talked, who: str, sees: int) -> None:
    async with second_lock_alone(talked.dsn, await talked.caller(who)) as connection:
        assert await rows(connection) == (sees, sees)


async def test_a_key_that_has_ended_sees_nothing(talked: Talked) -> None:
    caller = await talked.caller("member:mira")
    await talked.world.service.keys.revoke(await talked.world.admin(), caller.credential.id)
    async with second_lock_alone(talked.dsn, caller) as connection:
        assert await rows(connection) == (0, 0)
        await refused(connection, BEGIN, (uuid4(), "title", uuid4(), uuid4(), False))
        await refused(connection, FINISH, (talked.answer,))


async def test_nothing_is_written_but_through_the_functions(talked: Talked) -> None:
    async with second_lock_alone(talked.dsn, await talked.caller("member:mira")) as connection:
        for statement in (
            "DELETE FROM conversations",
            "DELETE FROM exchanges",
            "UPDATE exchanges SET answer = 'forged'",
            "UPDATE conversations SET account_id = account_id",
            "INSERT INTO conversations SELECT * FROM conversations",
            "SELECT erase_conversations(ARRAY(SELECT conversation_id FROM conversations))",
            "SELECT sweep_conversations(interval '0', 1000)",
        ):
            await refused(connection, statement)


async def test_another_member_changes_nothing_of_it(talked: Talked) -> None:
    async with second_lock_alone(talked.dsn, await talked.caller("member:noor")) as connection:
        attempts: list[tuple[str, tuple[Any, ...]]] = [
            (BEGIN, (talked.conversation, None, uuid4(), uuid4(), False)),
            (BEGIN, (talked.conversation, None, talked.message, uuid4(), True)),
            ("SELECT renew_exchange(%s, interval '1 hour')", (talked.answer,)),
            (FINISH, (talked.answer,)),
            ("SELECT forget_conversation(%s)", (talked.conversation,)),
        ]
        for statement, params in attempts:
            assert await column(connection, statement, params) == [False], statement
        # A conversation of her own does not let her at another's message.
        own = uuid4()
        assert await column(connection, BEGIN, (own, "title", uuid4(), uuid4(), False)) == [True]
        assert await column(connection, BEGIN, (own, None, talked.message, uuid4(), True)) == [False]
    async with second_lock_alone(talked.dsn, await talked.caller("member:mira")) as connection:
        assert await column(connection, "SELECT message FROM exchanges") == ["a secret question"]


@pytest.mark.parametrize("who", ["free", "strict", "sub"])
async def test_who_has_no_account_begins_nothing(talked: Talked, who: str) -> None:
    async with second_lock_alone(talked.dsn, await talked.caller(who)) as connection:
        await refused(connection, BEGIN, (uuid4(), "title", uuid4(), uuid4(), False))
        await refused(connection, "SELECT forget_conversation(%s)", (talked.conversation,))


async def test_who_only_looks_with_inspect_writes_nothing(talked: Talked) -> None:
    key = await talked.world.key(permissions=[Permission.INSPECT])
    credential = await talked.world.service.authenticate(key)
    eyes = Caller(credential, (await talked.caller("member:mira")).principal, seen_as=True)
    async with second_lock_alone(talked.dsn, eyes) as connection:
        assert await rows(connection) == (1, 1)
        await refused(connection, BEGIN, (talked.conversation, None, uuid4(), uuid4(), False))
        await refused(connection, FINISH, (talked.answer,))
        await refused(connection, "SELECT forget_conversation(%s)", (talked.conversation,))


async def test_an_answer_is_given_once_by_the_one_who_asked_and_not_by_an_attempt_that_was_given_up(talked: Talked) -> None:
    message, first, second = uuid4(), uuid4(), uuid4()
    mira, hers = await talked.caller("member:mira"), await talked.caller("hers")
    renew = "SELECT renew_exchange(%s, interval '15 seconds')"
    async with second_lock_alone(talked.dsn, hers) as connection:
        assert await column(connection, BEGIN, (talked.conversation, None, message, first, False)) == [True]
        await become(connection, mira)
        assert await column(connection, FINISH, (first,)) == [False]
        assert await column(connection, BEGIN, (talked.conversation, None, message, second, True)) == [False]
        await become(connection, hers)
        assert await column(connection, "SELECT renew_exchange(%s, interval '-1 second')", (first,)) == [True]
        assert await column(connection, BEGIN, (talked.conversation, None, message, second, True)) == [True]
        for statement in (renew, FINISH):
            assert await column(connection, statement, (first,)) == [False]
        assert await column(connection, renew, (second,)) == [True]
        assert await column(connection, FINISH, (second,)) == [True]
        assert await column(connection, FINISH, (second,)) == [False]


async def test_with_a_conversation_goes_no_trace_that_is_not_of_it(talked: Talked) -> None:
    world = talked.world
    await world.write("free", "boss project")
    trace = (await world.ask("free", "boss project")).trace.id
    async with second_lock_alone(talked.dsn, await talked.caller("member:mira")) as connection:
        message, answer = uuid4(), uuid4()
        assert await column(connection, BEGIN, (talked.conversation, None, message, answer, False)) == [True]
        finish = "SELECT finish_exchange(%s, NULL, 'x', 'full', NULL, NULL, '[]', %s)"
        assert await column(connection, finish, (answer, trace)) == [True]
        traces = await column(connection, "SELECT trace_id FROM traces")
        assert len(traces) == 1
        assert await column(connection, "SELECT forget_conversation(%s)", (talked.conversation,)) == [True]
        assert await column(connection, "SELECT trace_id FROM traces") == []
        await become(connection, await talked.caller("free"))
        assert await column(connection, "SELECT trace_id FROM traces") == [trace]


async def become(connection: AsyncConnection[DictRow], caller: Caller) -> None:
    credential, principal, _ = claims(caller)
    await connection.execute("SELECT set_config('whoknows.credential', %s, true)", (credential,))
    await connection.execute("SELECT set_config('whoknows.principal', %s, true)", (principal,))


async def test_conversations_of_a_deleted_member_go_after_the_grace(talked: Talked) -> None:
    await talked.world.service.administer.remove_member(await talked.world.admin(), "mira")
    async with talked.world.service.store.jobs() as jobs:
        await jobs.sweep_departed(30)
    assert await count(talked) == 1
    async with talked.world.service.store.jobs() as jobs:
        await jobs.sweep_departed(0)
    assert await count(talked) == 0


async def count(talked: Talked) -> int:
    import psycopg

    async with await psycopg.AsyncConnection.connect(talked.dsn) as connection:
        row = await (await connection.execute("SELECT count(*) FROM whoknows.exchanges")).fetchone()
        assert row is not None
        return row[0]


async def refused(connection: AsyncConnection[DictRow], statement: str, params: tuple[Any, ...] = ()) -> None:
    await connection.execute("SAVEPOINT before")
    with pytest.raises(errors.InsufficientPrivilege):
        await connection.execute(statement.encode(), params)
    await connection.execute("ROLLBACK TO SAVEPOINT before")
