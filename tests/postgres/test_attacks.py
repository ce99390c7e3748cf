"""What an attacker found: races between writers, and the doors of the second lock."""

import asyncio
from collections.abc import Awaitable
from uuid import UUID

import psycopg
import pytest
from raw import column, entered, second_lock_alone

from whoknows.domain.credential import Permission
from whoknows.domain.memory import Draft, Filters, Memory, Patch
from whoknows.errors import Forbidden, NotFound, VersionConflict, WhoKnowsError
from whoknows.flows.authenticate import act_as
from whoknows.gate.duplicates import dedupe_key
from whoknows.stores.postgres.session import REQUEST_ROLE
from worlds import World

ROUNDS = 12


async def test_equal_words_written_while_they_are_deleted_are_stored_and_never_a_fault_of_the_server(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="owner", B="writer")
    a, b = await world.caller("A"), await world.caller("B")
    draft = Draft("the same words", layer="team", team_id="T")
    for _ in range(ROUNDS):
        writes = [told(world.service.capture(who, draft)) for who in (a, b, a, b)]
        deletes = [told(world.service.forget.all_of(who, Filters(layer="team"))) for who in (a, b, a)]
        assert await asyncio.gather(*writes, *deletes) == [None] * 7


async def test_what_is_superseded_while_it_is_deleted_is_not_found_and_never_forbidden(world: World) -> None:
    await world.agents("A")
    a = await world.caller("A")
    for n in range(ROUNDS):
        old = await world.write("A", f"old {n}")
        new = Draft(f"new {n}", supersedes=old.id)
        answers = await asyncio.gather(*(told(world.service.capture(a, new)), told(world.service.forget(a, old.id))))
        assert answers[0] in (None, "not_found")
        assert answers[1] in (None, "not_found")


async def test_evidence_that_joins_a_memory_while_it_is_shared_is_in_the_memory_s_audience(world: World) -> None:
    await world.agents("A", "B")
    a = await world.caller("A")
    share = world.service.change.share
    for n in range(ROUNDS):
        m = await world.write("A", f"note {n}")
        again = world.service.capture(a, Draft(f"note {n}", source=f"message:{n}", quote="said so"))
        await asyncio.gather(told(again), told(share(a, m.id, "B", True)))
        await told(share(a, m.id, "B", False))
    with psycopg.connect(world.installation.dsn) as owner:
        astray = owner.execute(
            "SELECT count(*) FROM whoknows.evidence e JOIN whoknows.memories m USING (memory_id) "
            "WHERE e.audience_id <> m.audience_id"
        ).fetchone()
    assert astray == (0,)


async def test_a_delete_that_names_a_version_never_removes_a_newer_one(world: World) -> None:
    await world.agents("A")
    a = await world.caller("A")
    for n in range(ROUNDS):
        m = await world.write("A", f"note {n}")
        edit = world.service.change.edit(a, m.id, 1, Patch(content=f"edited {n}", named=frozenset({"content"})))
        edited, deleted = await asyncio.gather(told(edit), told(world.service.forget(a, m.id, 1)))
        assert edited is not None or deleted == VersionConflict.code


async def test_words_that_another_joined_are_not_edited_away_under_its_name(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    a, b = await world.caller("A"), await world.caller("B")
    for n in range(ROUNDS):
        m = await world.write("A", f"note {n}", team_id="T")
        edit = world.service.change.edit(a, m.id, 1, Patch(content=f"edited {n}", named=frozenset({"content"})))
        join = world.service.capture(b, Draft(f"note {n}", layer="team", team_id="T"))
        _, joined = await asyncio.gather(told(edit), told(join))
        assert joined is None
        kept = (await world.service.read.list(b, Filters(), 200, None)).items
        assert [k.content for k in kept if any(x.author == b.principal for x in k.authors)].count(f"note {n}") == 1


async def test_to_join_the_same_words_leaves_the_other_author_s_reason_as_it_was(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    theirs = await world.write("A", "deploy on Tuesday", team_id="T", reason="A's reason")
    own = await world.write("B", "deploy on Friday", team_id="T")
    joined = await world.write("B", "deploy on Tuesday", team_id="T", supersedes=own.id, reason="B's reason")
    assert (joined.id, joined.reason) == (theirs.id, "A's reason")


async def test_nobody_gives_itself_a_key_for_a_task_that_it_is_not_on(world: World) -> None:
    """Otherwise whoever reads a team reads what is bound to any task there."""
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    with_task = await world.key("A", task="k1")
    make = world.service.keys.make
    for who, task in (("B", "k1"), ("A", "k1")):
        with pytest.raises(Forbidden) as refused:
            await make(await world.service.authenticate(world.keys[who]), [who], (), task, None)
        assert refused.value.reason_code == "not_your_task"
    narrow = await world.service.authenticate(with_task)
    await make(narrow, ["A"], (), "k1", None)
    with pytest.raises(Forbidden):
        await make(narrow, ["A"], (), None, None)


async def test_hidden_foreign_and_absent_rows_are_all_nothing_to_join(world: World) -> None:
    await world.agents("A", "B")
    elsewhere = act_as(await world.service.authenticate(await _stranger(world)), None)
    hidden = await world.write("A", "hidden")
    foreign = (await world.service.capture(elsewhere, Draft("foreign"))).memory
    async with second_lock_alone(world.installation.dsn, await world.caller("B")) as connection:
        for m in (hidden, foreign):
            assert await _held(connection, m.id, m) == [None]
        assert await _held(connection, UUID(int=7), hidden) == [None]
    async with second_lock_alone(world.installation.dsn, await world.caller("A")) as connection:
        assert await _held(connection, hidden.id, hidden) == [hidden.audience.id]


async def test_a_key_for_a_stranger_is_refused_alike_whether_the_stranger_exists_or_not(world: World) -> None:
    await _stranger(world)
    admin = await world.service.authenticate(await world.key(permissions=[Permission.ADMIN]))
    with psycopg.connect(world.installation.dsn) as owner:
        row = owner.execute("SELECT principal_id FROM whoknows.principals WHERE name = 'stranger'").fetchone()
    assert row is not None
    told: list[str] = []
    for who in (row[0], 999_999):
        async with entered(world.installation.dsn, REQUEST_ROLE, str(admin.id), "", "") as connection:
            with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
                await connection.execute("SELECT make_credential(gen_random_uuid(), '\\x01', %s, '{}', NULL, NULL)", ([who],))
            told.append(refused.value.diag.message_primary or "")
    assert told == ["unknown_reader", "unknown_reader"]


async def test_one_with_whom_account_memory_is_shared_is_not_told_who_works_for_the_member(world: World) -> None:
    await world.members("m")
    await world.agents("M", "helper", account="m")
    await world.agents("B")
    shared = await world.write("M", "shared", account="m", visible_to=("B",))
    explain = world.service.explain
    assert "helper" not in {r.name for r in (await explain.knows(await world.caller("B"), Filters(), 50, None)).readers}
    with pytest.raises(NotFound):
        await explain.why(await world.caller("B"), shared.id, "agent:helper")
    assert (await explain.why(await world.caller("M"), shared.id, "agent:helper")).visible


async def told(work: Awaitable[object]) -> str | None:
    """The code of the refusal, or None where there was none; anything that is not an answer of ours is raised."""
    try:
        await work
    except WhoKnowsError as refusal:
        return refusal.code
    return None


async def _stranger(world: World) -> str:
    """A key of an agent in another tenant."""
    from whoknows.domain.principal import AgentRole
    from whoknows.flows.administer import NewAgent

    made = await world.service.keys.create_tenant(await world.admin(), "elsewhere")
    admin = await world.service.authenticate(made.secret)
    await world.service.administer.make_agent(admin, NewAgent("stranger", AgentRole.MAIN))
    return (await world.service.keys.make(admin, ["stranger"], (), None, None)).secret


async def _held(connection: psycopg.AsyncConnection[dict[str, object]], identity: UUID, like: Memory) -> list[object]:
    return await column(connection, "SELECT hold(%s, %s)", (identity, dedupe_key(like.content)))
