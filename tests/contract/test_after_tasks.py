"""What is left of tasks: nothing that grows with them."""

from dataclasses import replace

import psycopg

from whoknows.domain.principal import AgentRole
from whoknows.flows.inject import Gift
from worlds import World


async def test_audiences_of_tasks_that_ended_long_ago_are_taken_away_and_what_agents_wrote_there_keeps_its_own(
    world: World,
) -> None:
    await world.agents("main")
    await world.agents("sub", role=AgentRole.SUB, parent="main")
    main = await world.caller("main")
    note = await world.write("main", "the release is on Tuesday")
    for task in ("one", "two"):
        await world.service.tasks.open(main, task, ["sub"], None)
        await world.service.inject(main, Gift("sub", "release", memory_ids=(note.id,), task_id=task))
        await world.service.tasks.close(main, task)
    before = _count(world, "audiences")
    await world.service.work.sweep_old()
    assert _count(world, "audiences") == before  # not yet: they ended just now
    _run(world, "UPDATE tasks SET closed_at = now() - interval '40 days'")
    _run(world, "UPDATE injections SET ended_at = now() - interval '40 days'")
    await world.service.work.sweep_old()
    assert _count(world, "audiences") == before - 2
    assert _count(world, "injections") == 0
    assert await world.recalled("main", "release") == ["the release is on Tuesday"]


async def test_an_agent_that_had_many_tasks_has_a_standing_without_them(world: World) -> None:
    await world.agents("main")
    await world.agents("sub", role=AgentRole.SUB, parent="main")
    main = await world.caller("main")
    note = await world.write("main", "the release is on Tuesday")
    for n in range(5):
        await world.service.tasks.open(main, f"task {n}", ["sub"], None)
        await world.service.inject(main, Gift("sub", "release", memory_ids=(note.id,), task_id=f"task {n}"))
    sub = await world.caller("sub")
    for claimed, bound in ((None, 0), ("task 3", 1)):
        async with world.service.store.read(replace(sub, task=claimed)) as tx:
            assert len([g for g in (await tx.directory.standing()).grants if g.task is not None]) == bound


def _count(world: World, table: str) -> int:
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()  # pyright: ignore
        assert row is not None
        return row[0]


def _run(world: World, statement: str) -> None:
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        connection.execute(statement.encode())
