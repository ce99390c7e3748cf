"""The second lock of observations and proposals: no statement shows, and no function does, what its caller may not."""

from typing import Any
from uuid import UUID, uuid4

import psycopg
from observing import SAME, consolidate, team_that_agrees
from pgvector import HalfVector
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from psycopg.types.json import Jsonb
from raw import entered, second_lock_alone

from whoknows.domain.memory import Category
from whoknows.domain.proposal import CATEGORIES
from whoknows.policy.standing import scope_for
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.sql import raw_blocks, render
from worlds import World

READS = {
    "observations": ("newest", "of_exactly", "statements", "around", "resting_on", "resting", "gate"),
    "proposals": ("experiences", "decisions"),
}
WORDS = "%s, %s, %s, %s::bigint[], %s::int[], %s, %s::halfvec[], %s, %s, %s"
"""What an observation is to say, as its functions take it."""


async def _played(world: World) -> dict[str, Any]:
    """A and B agree on T, in two projects too; X may see nothing of it. What each statement is asked for."""
    said = await team_that_agrees(world, category=Category.EXPERIENCE, project_id="shop")
    await world.write("A", SAME[1], team_id="T", category=Category.EXPERIENCE, project_id="wiki")
    (told,) = (await consolidate(world)).told
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute(
            "INSERT INTO proposals (tenant_id, proposal_id, state, sources, decided_by) "
            "SELECT tenant_id, %s, 'rejected', %s, author_id FROM memories LIMIT 1",
            (uuid4(), [m.id for m in said]),
        )
    return {
        "ids": sorted(m.id for m in said),
        "id": None,
        "first": said[0].id,
        "hash": None,
        "audience": said[0].audience.id,
        "owners": [],
        "project_id": None,
        "stale": None,
        "before": None,
        "limit": 100,
        "most": 100,
        "least": 0.9,
        "categories": [str(c) for c in CATEGORIES],
        "of": {"around": said[0].id, "resting": told.observation.memory.id},
    }


async def test_without_the_clause_every_statement_answers_the_same(world: World) -> None:
    asked = await _played(world)
    shown: dict[str, int] = {}
    for who in ("B", "stranger"):
        caller = await world.caller(who)
        async with world.service.store.read(caller) as tx:
            params = scoped(scope_for(await tx.directory.standing())) | asked
        async with second_lock_alone(world.installation.dsn, caller) as connection:
            for file, names in READS.items():
                for name in names:
                    given = params | {"id": asked["of"].get(name)}
                    text = raw_blocks(file)[name]
                    with_it = await (await connection.execute(render(text).encode(), given)).fetchall()
                    without = await (await connection.execute(render(text, scope_clause=False).encode(), given)).fetchall()
                    assert sorted(map(repr, without)) == sorted(map(repr, with_it)), f"{file}.{name} for {who}"
                    shown[f"{who} {file}.{name}"] = len(with_it)
    assert not any(n for what, n in shown.items() if what.startswith("stranger")), shown
    for name in ("newest", "statements", "around", "resting_on", "resting", "gate"):
        assert shown[f"B observations.{name}"], f"{name} would be proved by nothing"
    assert shown["B proposals.experiences"] == 4
    assert shown["B proposals.decisions"] == 1


async def test_the_clause_is_what_hides_where_no_policy_binds(world: World) -> None:
    asked = await _played(world)
    async with world.service.store.read(await world.caller("stranger")) as tx:
        params = scoped(scope_for(await tx.directory.standing())) | asked
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        for name in ("newest", "statements", "around", "resting"):
            given = params | {"id": asked["of"].get(name)}
            text = raw_blocks("observations")[name]
            assert await (await connection.execute(render(text).encode(), given)).fetchall() == []
            assert await (await connection.execute(render(text, scope_clause=False).encode(), given)).fetchall(), name


async def test_what_the_request_role_cannot_do_by_statements_of_its_own(world: World) -> None:
    said = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    await world.agents("R")
    await world.join("T", "R", "reader")
    identity, ids, hashes = told.observation.memory.id, [m.id for m in said], [m.content_hash for m in said]
    nothing = (Jsonb(None), Jsonb([]), [], [], 0, [HalfVector([0.0] * 384)], False, "active", "extractive")
    attempts: dict[str, tuple[str, tuple[Any, ...]]] = {
        "a reader observes": (
            f"SELECT observe(%s, %s, true, %s::uuid[], %s, {WORDS}, 'listed')",
            (uuid4(), said[0].audience.id, ids, hashes, said[0].id, *nothing),
        ),
        "a reader recomputes": (
            f"SELECT recompute(%s, 1, %s::uuid[], %s, {WORDS})",
            (identity, ids, hashes, said[0].id, *nothing),
        ),
        "a reader retires": ("SELECT retire(%s, 1)", (identity,)),
        "what the jobs call": ("SELECT retire_observation(%s, 1)", (identity,)),
        "an agent turns down": ("SELECT reject_proposal(%s, %s::uuid[], 'no')", (uuid4(), ids)),
        "an agent confirms": ("SELECT reserve_proposal(%s, %s::uuid[], %s, 'x.md', 'whoknows/x')", (uuid4(), ids, uuid4())),
        "a row of its own": ("INSERT INTO observations (tenant_id, memory_id) VALUES (1, %s)", (ids[0],)),
        "a source that is none": ("DELETE FROM observation_sources WHERE observation_id = %s", (identity,)),
        "what waits": ("SELECT * FROM observation_candidates", ()),
        "what was refused": ("SELECT * FROM observation_refusals", ()),
        "what is made anew": ("SELECT * FROM observation_remakes", ()),
    }  # fmt: skip
    async with second_lock_alone(world.installation.dsn, await world.caller("R")) as connection:
        for what, (statement, params) in attempts.items():
            assert await _refused(connection, statement, params), what


async def test_the_author_itself_does_not_reword_what_is_derived(world: World) -> None:
    await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    author = told.observation.memory.author.name
    identity: UUID = told.observation.memory.id
    async with second_lock_alone(world.installation.dsn, await world.caller(author)) as connection:
        await connection.execute("SELECT set_config('whoknows.observing', %s, true)", (str(identity),))
        told = await _refused(connection, "UPDATE memories SET content = 'else' WHERE memory_id = %s", (identity,))
        assert "observation_is_derived" in (told or "")


async def _refused(connection: AsyncConnection[DictRow], statement: str, params: tuple[Any, ...]) -> str | None:
    """What the database said where it refused; None where it did it."""
    try:
        async with connection.transaction():
            await connection.execute(statement.encode(), params)
    except errors.InsufficientPrivilege as e:
        return str(e)
    return None
