"""Publishing in three steps (rule P3): wherever an attempt dies, or a right ends between two, there is one copy or none."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory, Patch
from whoknows.domain.publication import PublicationState
from whoknows.errors import Conflict, Forbidden, NotFound, PublicationPending, PublicationWithdrawn, RefusedByGate
from whoknows.flows.publish import Publish, Step
from whoknows.flows.publishable import Published
from worlds import World

TEXT = "保险箱密码是 7391"
LEASE = 0.3
PATIENCE = 20.0
"""Seconds until a wait is given up."""
KILLS = [s for s in Step if s is not Step.COMPENSATING]


class Died(BaseException):
    """Stands for the end of the process: nothing catches it, and what it interrupts is not cleaned up."""


class Stop:
    """Holds an attempt at a step until it is told to go on."""

    def __init__(self, at: Step) -> None:
        self.at = at
        self.here, self.go_on = asyncio.Event(), asyncio.Event()

    async def __call__(self, step: Step) -> None:
        if step is self.at:
            self.here.set()
            await self.go_on.wait()


def dies_at(last: Step) -> Callable[[Step], Awaitable[None]]:
    async def reached(step: Step) -> None:
        if step is last:
            raise Died

    return reached


@pytest.fixture
async def world(world: World) -> World:
    await world.agents("A", "B", "O")
    await world.team("T", A="writer", B="reader", O="owner")
    return world


def attempt(world: World, **fields: Any) -> Publish:
    return replace(world.service.publish, lease_seconds=LEASE, patience_seconds=PATIENCE, **fields)


def sql(world: World, statement: str, *params: object) -> list[tuple[Any, ...]]:
    """As the owner of the database, whom nothing binds."""
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public", autocommit=True) as connection:
        cursor = connection.execute(statement.encode(), params)
        return cursor.fetchall() if cursor.description else []


def remains(world: World) -> dict[str, int]:
    """What is there of copies, reservations and clean-up tasks."""
    counts = """
        SELECT (SELECT count(*) FROM copies), (SELECT count(*) FROM publications WHERE state = 'ready'),
            (SELECT count(*) FROM publications WHERE state = 'pending'), (SELECT count(*) FROM publication_cleanups),
            (SELECT count(*) FROM memories m WHERE m.origin IS NOT NULL
                AND NOT EXISTS (SELECT FROM publications p WHERE p.memory_id = m.memory_id))"""
    return dict(zip(("copies", "ready", "pending", "cleanups", "orphans"), sql(world, counts)[0], strict=True))


ONE = {"copies": 1, "ready": 1, "pending": 0, "cleanups": 0, "orphans": 0}
NONE = dict.fromkeys(ONE, 0)


async def settled(world: World) -> None:
    """The sweeper goes round until nothing is pending, as the upkeep of a server does."""
    async with asyncio.timeout(PATIENCE):
        while remains(world)["pending"]:
            await world.service.work.settle_publications()
            await asyncio.sleep(0.05)


@asynccontextmanager
async def stopped(world: World, memory: Memory, at: Step, **fields: Any) -> AsyncIterator[tuple[Stop, asyncio.Task[Published]]]:
    """An attempt of A's that waits at a step."""
    stop = Stop(at)
    task = asyncio.create_task(attempt(world, reached=stop, **fields)(await world.caller("A"), memory.id, "T"))
    try:
        async with asyncio.timeout(PATIENCE):
            await stop.here.wait()
        yield stop, task
    finally:
        stop.go_on.set()
        await asyncio.gather(task, return_exceptions=True)


async def copies_seen(world: World, who: str = "B") -> list[MemoryId]:
    return [m.id for m in (await world.service.read.list(await world.caller(who), Filters(), 50, None)).items]


@pytest.mark.parametrize("step", KILLS)
async def test_after_a_death_at_any_step_the_next_attempt_leaves_exactly_one_copy(world: World, step: Step) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    with pytest.raises(Died):
        await attempt(world, reached=dies_at(step))(a, memory.id, "T")
    before = await copies_seen(world)
    done = await attempt(world)(a, memory.id, "T")
    assert done.state is PublicationState.READY
    assert done.memory is not None
    assert await copies_seen(world) == [done.memory.id]
    assert before in ([], [done.memory.id]), "what stood there already is taken over, not made again"
    assert done.first is (step is not Step.COMPLETED)
    assert remains(world) == ONE


@pytest.mark.parametrize("step", KILLS)
async def test_after_a_death_at_any_step_the_sweeper_leaves_one_copy_or_none(world: World, step: Step) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    with pytest.raises(Died):
        await attempt(world, reached=dies_at(step))(a, memory.id, "T")
    await settled(world)
    written = step in (Step.WRITTEN, Step.COMPLETING, Step.COMPLETED)
    assert remains(world) == (ONE if written else NONE)
    done = await attempt(world)(a, memory.id, "T")
    assert done.first is not written
    assert remains(world) == ONE


async def test_of_many_at_once_exactly_one_is_the_first_and_all_get_the_same_copy(world: World) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    done = await asyncio.gather(*(attempt(world)(a, memory.id, "T") for _ in range(40)))
    assert [d.first for d in done].count(True) == 1
    assert len({d.publication.id for d in done}) == 1
    assert {d.memory.id for d in done if d.memory} == set(await copies_seen(world))
    assert remains(world) == ONE


async def test_a_waiter_is_told_to_come_back_and_then_gets_the_finished_copy(world: World) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    impatient = replace(world.service.publish, patience_seconds=0.1)
    stop = Stop(Step.WRITTEN)
    task = asyncio.create_task(replace(world.service.publish, reached=stop, lease_seconds=30.0)(a, memory.id, "T"))
    async with asyncio.timeout(PATIENCE):
        await stop.here.wait()
    with pytest.raises(PublicationPending) as pending:
        await impatient(a, memory.id, "T")
    assert 1 <= pending.value.retry_after <= 30
    with pytest.raises(PublicationPending):
        await world.service.publications.republish(a, (await own(world)).publication.id)
    waiting = asyncio.create_task(attempt(world)(a, memory.id, "T"))
    stop.go_on.set()
    first, second = await task, await waiting
    assert (first.first, second.first) == (True, False)
    assert second.memory == first.memory


@pytest.mark.parametrize("step", [Step.RESERVED, Step.WRITTEN])
async def test_one_who_was_taken_for_dead_gets_the_copy_of_the_one_who_took_over(world: World, step: Step) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    async with stopped(world, memory, step) as (stop, task):
        heir = await attempt(world)(a, memory.id, "T")
        assert heir.first
        stop.go_on.set()
        late = await task
    assert not late.first
    assert late.memory == heir.memory
    assert remains(world) == ONE


@pytest.mark.parametrize("step", [Step.RESERVED, Step.WRITTEN])
async def test_a_withdrawal_wins_over_an_attempt_that_is_under_way(world: World, step: Step) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    async with stopped(world, memory, step) as (stop, task):
        withdrawn = await world.service.publications.withdraw(a, (await own(world)).publication.id)
        assert withdrawn.state is PublicationState.WITHDRAWN
        assert await copies_seen(world) == []
        stop.go_on.set()
        with pytest.raises(PublicationWithdrawn):
            await task
    assert await copies_seen(world) == []
    back = await world.service.publications.republish(a, withdrawn.publication.id)
    assert back.memory is not None
    assert await copies_seen(world) == [back.memory.id]
    assert remains(world) == ONE


@pytest.mark.parametrize("step", [Step.RESERVED, Step.WRITTEN])
async def test_deleting_the_original_wins_over_an_attempt_that_is_under_way(world: World, step: Step) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    async with stopped(world, memory, step) as (stop, task):
        await world.service.forget(a, memory.id)
        assert await copies_seen(world) == []
        stop.go_on.set()
        with pytest.raises(NotFound):
            await task
    assert remains(world) == NONE
    assert (await own(world)).state is PublicationState.DELETED
    assert "7391" not in str(sql(world, "SELECT content FROM memories UNION ALL SELECT content FROM versions"))


@pytest.mark.parametrize("step", [Step.RESERVED, Step.WRITTEN])
async def test_an_expulsion_between_two_steps_leaves_nothing_in_the_team(world: World, step: Step) -> None:
    memory = await world.write("A", TEXT)
    async with stopped(world, memory, step) as (stop, task):
        await world.expel("T", "A")
        stop.go_on.set()
        with pytest.raises((Forbidden, NotFound)):
            await task
    assert remains(world) == NONE
    assert await copies_seen(world) == []


async def test_a_compensation_that_fails_leaves_a_task_and_the_sweeper_does_it(world: World) -> None:
    memory = await world.write("A", TEXT)

    async def fails(step: Step) -> None:
        if step is Step.WRITTEN:
            await world.expel("T", "A")
        if step is Step.COMPENSATING:
            raise Died

    with pytest.raises(Died):
        await attempt(world, reached=fails)(await world.caller("A"), memory.id, "T")
    assert remains(world) == {"copies": 1, "ready": 0, "pending": 1, "cleanups": 1, "orphans": 1}
    await settled(world)
    assert remains(world) == NONE
    assert await copies_seen(world) == []
    assert await copies_seen(world, "A") == [memory.id]


async def test_a_clean_up_that_cannot_be_done_now_is_tried_until_it_is(world: World) -> None:
    memory = await world.write("A", TEXT)

    async def fails(step: Step) -> None:
        if step is Step.WRITTEN:
            await world.expel("T", "A")
        if step is Step.COMPENSATING:
            raise Died

    with pytest.raises(Died):
        await attempt(world, reached=fails)(await world.caller("A"), memory.id, "T")
    sql(world, "UPDATE publications SET lease_until = now() - interval '1 second'")
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as holder:
        holder.execute("SELECT FROM memories WHERE origin IS NOT NULL FOR UPDATE")  # somebody is in the way
        assert await world.service.work.settle_publications() == 0
    assert [attempts for (attempts,) in sql(world, "SELECT attempts FROM publication_cleanups WHERE fault IS NOT NULL")] == [1]
    assert remains(world)["copies"] == 1
    sql(world, "UPDATE publications SET lease_until = now() - interval '1 second'")
    await settled(world)
    assert remains(world) == NONE


async def test_a_publisher_who_lost_the_right_before_the_sweeper_came_leaves_nothing(world: World) -> None:
    memory = await world.write("A", TEXT)
    with pytest.raises(Died):
        await attempt(world, reached=dies_at(Step.WRITTEN))(await world.caller("A"), memory.id, "T")
    await world.expel("T", "A")
    await settled(world)
    assert remains(world) == NONE


async def test_a_gate_that_closes_between_two_steps_lets_nothing_through(world: World) -> None:
    memory = await world.write("A", TEXT)
    async with stopped(world, memory, Step.RESERVED) as (stop, task):
        sql(world, "UPDATE principals SET gate = 'verified' WHERE name = 'T'")
        stop.go_on.set()
        with pytest.raises(RefusedByGate):
            await task
    assert remains(world) == NONE
    with pytest.raises(RefusedByGate):
        await attempt(world)(await world.caller("A"), memory.id, "T")
    assert remains(world) == NONE


async def test_republishing_a_removed_copy_that_dies_leaves_it_removed(world: World) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    done = await attempt(world)(a, memory.id, "T")
    assert done.memory is not None
    await world.service.forget(await world.caller("O"), done.memory.id)
    dying = replace(world.service.publications, publish=attempt(world, reached=dies_at(Step.RESERVED)))
    with pytest.raises(Died):
        await dying.republish(a, done.publication.id)
    await settled(world)
    assert (await own(world)).state is PublicationState.REMOVED
    assert await copies_seen(world) == []


async def test_republishing_at_once_by_many_makes_one_new_version(world: World) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    done = await attempt(world)(a, memory.id, "T")
    patch = Patch(content="new words", named=frozenset({"content"}))
    await world.service.change.edit(a, memory.id, 1, patch)
    told = await asyncio.gather(*(world.service.publications.republish(a, done.publication.id) for _ in range(12)))
    assert {(t.memory.version, t.memory.content) for t in told if t.memory} == {(2, "new words")}
    assert remains(world) == ONE


async def test_an_original_that_is_deleted_while_many_publish_it_leaves_nothing(world: World) -> None:
    a = await world.caller("A")
    for _ in range(6):
        memory = await world.write("A", TEXT)
        results = await asyncio.gather(
            *(attempt(world)(a, memory.id, "T") for _ in range(8)), world.service.forget(a, memory.id), return_exceptions=True
        )
        faults = {type(r) for r in results if isinstance(r, BaseException)}
        assert faults <= {NotFound}, results
        await settled(world)
        assert remains(world) == NONE


async def test_an_expulsion_amid_many_publishes_leaves_whole_copies_or_none(world: World) -> None:
    a = await world.caller("A")
    for _ in range(4):
        memories = [await world.write("A", f"{TEXT} / {n}") for n in range(6)]
        results = await asyncio.gather(
            *(attempt(world)(a, m.id, "T") for m in memories), world.expel("T", "A"), return_exceptions=True
        )
        done = [r.memory for r in results if isinstance(r, Published)]
        refusals = [r for r in results if isinstance(r, BaseException)]
        assert all(isinstance(r, Forbidden | NotFound) for r in refusals), refusals
        assert len(done) + len(refusals) == len(memories)
        await settled(world)
        left = remains(world)
        assert left == {"copies": len(done), "ready": len(done), "pending": 0, "cleanups": 0, "orphans": 0}
        for m in memories:
            await world.service.forget(a, m.id)
        await world.join("T", "A")


async def test_a_withdrawal_amid_publishes_and_republishes_stays_one_or_the_other(world: World) -> None:
    memory, a = await world.write("A", TEXT), await world.caller("A")
    identity = (await attempt(world)(a, memory.id, "T")).publication.id
    flow = world.service.publications
    for n in range(8):
        results = await asyncio.gather(
            flow.withdraw(a, identity), flow.republish(a, identity), attempt(world)(a, memory.id, "T"), return_exceptions=True
        )
        faults = [r for r in results if isinstance(r, BaseException)]
        assert all(isinstance(f, PublicationWithdrawn) for f in faults), (n, faults)
        there, seen = await own(world), await copies_seen(world)
        assert there.memory is not None
        assert seen == ([there.memory.id] if there.state is PublicationState.READY else [])
        await flow.republish(a, identity)
    (numbers,) = sql(world, "SELECT count(*), count(DISTINCT memory_id) FROM copies")
    assert numbers == (1, 1)
    # In and out of both arms as often as it went and came back: nothing is left twice.
    found = await world.ask("B", "保险箱密码", min_score=0.0)
    assert [x.memory.id for x in found.memories] == await copies_seen(world)
    assert sql(world, "SELECT count(*) FROM documents d JOIN memories m USING (memory_no) WHERE m.origin IS NOT NULL") == [(1,)]


async def test_deleting_the_original_amid_republishes_leaves_nothing(world: World) -> None:
    a = await world.caller("A")
    for _ in range(6):
        memory = await world.write("A", TEXT)
        identity = (await attempt(world)(a, memory.id, "T")).publication.id
        patch = Patch(content="new words", named=frozenset({"content"}))
        await world.service.change.edit(a, memory.id, 1, patch)
        flow = world.service.publications
        results = await asyncio.gather(
            flow.republish(a, identity), world.service.forget(a, memory.id), flow.republish(a, identity), return_exceptions=True
        )
        faults = [r for r in results if isinstance(r, BaseException)]
        assert all(isinstance(f, NotFound | Conflict) for f in faults), faults
        assert remains(world) == NONE
        assert await copies_seen(world) == []


async def own(world: World) -> Published:
    (found,) = (await world.service.publications.list(await world.caller("A"), 5, None)).items
    return found
