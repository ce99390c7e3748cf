"""The second lock over distillations: whatever statement is sent, they are one account's alone."""

from dataclasses import dataclass
from uuid import UUID, uuid4

import pytest
from psycopg import errors
from psycopg.types.json import Jsonb
from raw import column, second_lock_alone

from whoknows.domain.conversation import MessageId
from whoknows.domain.distillation import BatchId
from whoknows.domain.memory import Draft
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.flows.converse import Said
from whoknows.flows.distill import Transcript
from whoknows.flows.exchange import Ended
from whoknows.flows.hearing import Message, Role
from worlds import World

TABLES = ("distillations", "distilled_messages", "distill_settings")
FACT = "We decided to use PostgreSQL for the billing service, not MySQL."


@dataclass
class Kept:
    """Mira has one distillation, a setting, and a turn of chat that waits."""

    world: World
    batch: BatchId
    waiting: MessageId

    @property
    def dsn(self) -> str:
        return self.world.installation.dsn


@pytest.fixture
async def kept(world: World) -> Kept:
    await world.members("mira", "noor")
    await world.agents("hers", account="mira")
    await world.agents("free")
    await world.agents("strict", account="mira", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("sub", role=AgentRole.SUB, parent="hers", account="mira")
    mira = await world.caller("member:mira")
    done = await world.service.distill(mira, Transcript("boss", (Message("m1", Role.USER, FACT),)))
    await world.service.distillations.set(mira, "boss", True)
    ends = [e async for e in world.service.converse(mira, Said("boss", "a question?")) if isinstance(e, Ended)]
    assert done.batch is not None
    return Kept(world, done.batch, ends[0].turn.exchange.message_id)


async def test_they_are_the_accounts_alone(kept: Kept) -> None:
    for who, sees in (("member:mira", 1), ("hers", 1), ("member:noor", 0), ("free", 0), ("strict", 0), ("sub", 0)):
        async with second_lock_alone(kept.dsn, await kept.world.caller(who)) as connection:
            for table in TABLES:
                assert len(await column(connection, f"SELECT tenant_id FROM {table}".encode())) == sees, (who, table)
            with pytest.raises(errors.InsufficientPrivilege):
                await connection.execute("SELECT message_id FROM pending_distillations")


VERBS = (
    "SELECT undo_distillation(%(batch)s)",
    "SELECT record_distillation(%(batch)s, '[]', '[]')",
    "SELECT begin_distillation(gen_random_uuid(), 'boss', NULL, false)",
    "SELECT set_distilling('boss', false)",
    "SELECT mute_exchange(%(message)s)",
    "SELECT settle_distillation(%(message)s, gen_random_uuid(), NULL)",
)


async def test_who_has_no_account_may_call_none_of_its_verbs(kept: Kept) -> None:
    for who in ("free", "strict", "sub"):
        for statement in VERBS:
            async with second_lock_alone(kept.dsn, await kept.world.caller(who)) as connection:
                with pytest.raises(errors.InsufficientPrivilege, match="no_account"):
                    await connection.execute(statement.encode(), {"batch": kept.batch, "message": kept.waiting})


async def test_another_account_undoes_mutes_and_settles_nothing_of_it(kept: Kept) -> None:
    noor = await kept.world.caller("member:noor")
    async with second_lock_alone(kept.dsn, noor) as connection:
        undone = "SELECT deleted FROM undo_distillation(%s)"
        assert await column(connection, undone, (kept.batch,)) == await column(connection, undone, (uuid4(),)) == [None]
        await connection.execute("SELECT mute_exchange(%s)", (kept.waiting,))
        assert await column(connection, "SELECT settle_distillation(%s, gen_random_uuid(), NULL)", (kept.waiting,)) == [False]
        with pytest.raises(errors.InsufficientPrivilege, match="no_account"):
            await connection.execute("SELECT record_distillation(%s, '[]', '[]')", (kept.batch,))
    assert await kept.world.service.distill_turns.some() == 1, "the turn still waits"


async def test_a_batch_that_names_a_strangers_memory_does_not_delete_it(kept: Kept) -> None:
    """Its own batch, forged by hand: what is in it is deleted by the right to change it, and by no other."""
    theirs = await kept.world.service.capture(await kept.world.caller("member:mira"), Draft("mira's own", account="mira"))
    noor = await kept.world.caller("member:noor")
    forged = uuid4()
    fact = {"ordinal": 0, "message_id": "m", "memory_id": str(theirs.memory.id), "outcome": "stored", "quote_hash": "x"}
    async with second_lock_alone(kept.dsn, noor) as connection:
        await connection.execute("SELECT begin_distillation(%s, 'boss', NULL, false)", (forged,))
        await connection.execute("SELECT record_distillation(%s, '[]', %s)", (forged, Jsonb([fact])))
        assert await column(connection, "SELECT deleted FROM undo_distillation(%s)", (forged,)) == [0]
    async with second_lock_alone(kept.dsn, await kept.world.caller("member:mira")) as connection:
        left = await column(connection, "SELECT memory_id FROM memories WHERE content = %s", ("mira's own",))
    assert left == [UUID(str(theirs.memory.id))]


async def test_a_batch_that_names_anothers_quote_does_not_take_it_away(kept: Kept) -> None:
    world = kept.world
    await world.team("Q")
    await world.join("Q", "member:mira")
    await world.join("Q", "member:noor", "reader")
    theirs = await world.write(
        "member:mira", "we meet on Mondays", team_id="Q", source="message:m-1", quote="we meet on Mondays"
    )
    noor, forged = await world.caller("member:noor"), uuid4()
    (piece,) = theirs.evidence
    fact = {
        "ordinal": 0,
        "message_id": piece.locator,
        "memory_id": str(theirs.id),
        "outcome": "stored",
        "quote_hash": piece.quote_hash,
    }
    async with second_lock_alone(kept.dsn, noor) as connection:
        await connection.execute("SELECT begin_distillation(%s, 'boss', NULL, false)", (forged,))
        await connection.execute("SELECT record_distillation(%s, '[]', %s)", (forged, Jsonb([fact])))
        await connection.execute("SELECT undo_distillation(%s)", (forged,))
        assert await column(connection, "SELECT count(*) FROM evidence WHERE memory_id = %s", (theirs.id,)) == [1]


async def test_requests_forge_no_mark_on_a_memory_after_it_is_written(kept: Kept) -> None:
    async with second_lock_alone(kept.dsn, await kept.world.caller("member:mira")) as connection:
        with pytest.raises(errors.InsufficientPrivilege):
            await connection.execute("UPDATE memories SET batch_id = gen_random_uuid()")
