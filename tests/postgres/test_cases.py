"""Cases below the service: what the database itself refuses, whatever is sent by the request role."""

import asyncio
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest
from raw import column, entered, second_lock_alone, until_one_waits

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.ids import new_credential_id, new_memory_id
from whoknows.domain.script import Language
from whoknows.errors import Forbidden
from whoknows.stores.postgres.session import REQUEST_ROLE
from worlds import World

LAY = "SELECT lay_card(%s, 'detective', %s, 'planted', 'fact', '{}', 'x', '\\x00', false, '{}', '{}', 0, '{}')"


@dataclass
class Opened:
    """A case: its operator, a key for its stage, and somebody who has nothing to do with it."""

    dsn: str
    name: str
    operator: Credential
    screen: Credential
    stranger: Credential

    def nobody(self, credential: Credential) -> Caller:
        return Caller(credential, None)


@pytest.fixture
async def case(world: World) -> Opened:
    service = world.service
    made = await service.cases.open(await world.admin(), "heron", Language.ZH)
    operator = await service.authenticate(made.secret)
    show = await service.cases.show_key(operator, made.case, None)
    await world.agents("A")
    stranger = await service.authenticate(world.keys["A"])
    return Opened(world.installation.dsn, made.case, operator, await service.authenticate(show.secret), stranger)


async def refused(case: Opened, who: Credential, statement: str, params: Any = None) -> None:
    async with second_lock_alone(case.dsn, case.nobody(who)) as connection:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(statement, params)


async def test_no_card_is_laid_but_in_the_transaction_that_opens_or_resets(case: Opened) -> None:
    tenants = case.operator.tenant_id, case.stranger.tenant_id
    for who in (case.operator, case.screen, case.stranger):
        for tenant in tenants:
            await refused(case, who, LAY, (tenant, new_memory_id()))
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        await connection.execute("SELECT clear_case()")
        await connection.execute(LAY, (case.operator.tenant_id, new_memory_id()))  # while it is laid out, it may be
        await connection.execute("SELECT begin_case(%s)", (case.operator.tenant_id,))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(LAY, (case.operator.tenant_id, new_memory_id()))


async def test_a_case_that_was_left_open_for_cards_is_on_the_stage_all_the_same(world: World, case: Opened) -> None:
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        await connection.execute("SELECT clear_case()")
        await connection.commit()
    await world.service.play.whisper(case.operator, case.name, "detective", "look at the harbour")
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        kinds = await column(connection, "SELECT kind FROM stage_events ORDER BY event_no")
        assert kinds == ["reset", "whispered"]
        assert "case.whisper" in await column(connection, "SELECT action FROM audit")


async def test_one_that_resets_its_case_lays_no_card_in_another(world: World, case: Opened) -> None:
    made = await world.service.cases.open(await world.admin(), "heron", Language.ZH)
    other = await world.service.authenticate(made.secret)
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        await connection.execute("SELECT clear_case()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await connection.execute(LAY, (other.tenant_id, new_memory_id()))


@pytest.mark.parametrize(
    "verb",
    [
        "SELECT clear_case()",
        "SELECT close_case()",
        "SELECT note_case_inspection('x')",
        "SELECT make_show_key(gen_random_uuid(), '\\x01', NULL)",
        "SELECT tell_asked(true, 'full', '{}')",
    ],
)
async def test_only_the_operator_runs_a_case(case: Opened, verb: str) -> None:
    for who in (case.screen, case.stranger):
        await refused(case, who, verb)
    await refused(case, case.operator, "SELECT open_case('x', gen_random_uuid(), '\\x01', '{a,b}', 'heron', 'zh')")


async def test_a_stage_event_names_no_space_but_the_roles_own_and_the_board(case: Opened) -> None:
    caller = Caller(case.operator, case.operator.acts_as[0])
    async with second_lock_alone(case.dsn, caller) as connection:
        await connection.execute("SELECT tell_asked(true, 'full', ARRAY['agent:detective', '*'])")
        for spaces in (["agent:informant"], ["the question itself"], ["agent:detective", "member:x"]):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                async with connection.transaction():
                    await connection.execute("SELECT tell_asked(true, 'full', %s)", (spaces,))


async def test_requests_write_neither_cases_nor_stage_events(case: Opened) -> None:
    for statement in (
        "INSERT INTO stage_events (tenant_id, kind) VALUES (1, 'reset')",
        "DELETE FROM stage_events",
        "UPDATE cases SET laid_in = pg_current_xact_id()",
        "DELETE FROM cases",
        "SELECT empty_case(1)",
        "SELECT drop_embeddings(1)",
    ):
        await refused(case, case.operator, statement)


async def test_a_screen_sees_stage_and_board_and_no_memory(world: World, case: Opened) -> None:
    caller = Caller(case.operator, case.operator.acts_as[1])
    async with world.service.store.read(caller) as tx:
        (card, *_) = (await tx.memories.page(_scope(await tx.directory.standing()), _private(), 9, None)).items
    await world.service.play.publish(case.operator, case.name, card.id)
    for who, board in ((case.screen, 1), (case.stranger, 0)):
        async with second_lock_alone(case.dsn, case.nobody(who)) as connection:
            assert len(await column(connection, "SELECT content FROM stage_board(10)")) == board
            for table in ("memories", "versions", "passages", "postings", "documents", "events", "traces", "copies"):
                assert await column(connection, f"SELECT count(*) FROM {table}") == [0], table
            kinds = set(await column(connection, "SELECT kind FROM stage_events"))
            assert kinds == ({"opened", "published"} if board else set())
            assert len(await column(connection, "SELECT script FROM cases")) == board


async def test_the_table_of_the_stage_has_no_column_for_a_text_or_a_memory(case: Opened) -> None:
    async with entered(case.dsn, REQUEST_ROLE, "", "", "") as connection:
        columns = await column(
            connection,
            "SELECT column_name || ' ' || data_type FROM information_schema.columns "
            "WHERE table_schema = 'whoknows' AND table_name = 'stage_events' ORDER BY 1",
        )
    assert columns == [
        "at timestamp with time zone",
        "event_id uuid",
        "event_no bigint",
        "kind text",
        "known boolean",
        "mode text",
        "role_id integer",
        "searched ARRAY",
        "tenant_id integer",
        "xid xid8",
    ]


async def test_a_database_that_was_restored_elsewhere_goes_on_telling_its_stage(world: World, case: Opened) -> None:
    async with entered(case.dsn, None, "", "", "") as connection:  # its transactions are counted from the beginning there
        await connection.execute("UPDATE stage_events SET xid = '4000000000000'")
        await connection.commit()
    shown = world.service.show
    assert (await shown.stage(case.screen, case.name)).last_event is None
    async with world.service.store.jobs() as jobs:
        await jobs.settle_events()
    assert (await shown.stage(case.screen, case.name)).last_event is not None


async def test_a_key_that_is_made_while_the_case_closes_does_not_outlive_it(world: World, case: Opened) -> None:
    service = world.service
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        await connection.execute("SELECT close_case()")
        making = asyncio.create_task(service.keys.make(case.operator, ["detective"], [], None, None))
        await until_one_waits(case.dsn)
        await connection.commit()
    with pytest.raises(Forbidden):
        await making
    async with entered(case.dsn, None, "", "", "") as connection:
        alive = "SELECT count(*) FROM credentials WHERE tenant_id = %s AND revoked_at IS NULL"
        assert await column(connection, alive, (case.operator.tenant_id,)) == [0]


async def test_a_show_key_does_not_outlive_the_operators(world: World, case: Opened) -> None:
    key = new_credential_id()
    async with second_lock_alone(case.dsn, case.nobody(case.operator)) as connection:
        await connection.execute("SELECT make_show_key(%s, '\\x0102', now() + interval '1 hour')", (key,))
        (expires,) = await column(connection, "SELECT expires_at FROM credentials WHERE credential_id = %s", (key,))
        assert expires is not None
        rights = await column(connection, "SELECT permissions FROM credentials WHERE credential_id = %s", (key,))
        assert rights == [[]]


def _scope(standing: Any) -> Any:
    from whoknows.policy.standing import scope_for

    return scope_for(standing)


def _private() -> Any:
    from whoknows.domain.memory import Filters, State

    return Filters(layer="private", state=State.ACTIVE)
