"""Prompts and uses under the second lock: what the request role may see and do with them, whatever statement it sends."""

import asyncio
from uuid import uuid4

import pytest
from psycopg import errors
from raw import column, entered, second_lock_alone, until_one_waits

from whoknows.domain.credential import Permission
from whoknows.domain.prompt import PromptLayer, PromptPatch
from whoknows.errors import Forbidden, VersionConflict
from whoknows.flows.prompts import CONTENT
from worlds import World

SAVE = "SELECT save_prompt(%s, %s, ARRAY['content'], %s, NULL, NULL, NULL)"


async def household(world: World) -> None:
    await world.members("lin", "wu")
    await world.agents("lin-agent", account="lin")
    await world.agents("stranger")
    prompts = world.service.prompts
    await prompts.set_policy(await world.admin(), "global")
    await prompts.set_user(await world.caller("member:lin"), "of lin")
    await prompts.set_controls(await world.caller("member:lin"), "boss", PromptPatch(CONTENT, "of lin in boss"))


async def test_each_sees_the_global_layer_and_its_own(world: World) -> None:
    await household(world)
    everything = ["global", "of lin", "of lin in boss"]
    for who, seen in (
        ("member:lin", everything), ("lin-agent", everything), ("member:wu", ["global"]), ("stranger", ["global"]),
    ):  # fmt: skip
        async with second_lock_alone(world.installation.dsn, await world.caller(who)) as connection:
            assert await column(connection, "SELECT content FROM prompts ORDER BY prompt_no") == seen, who
    async with entered(world.installation.dsn, "whoknows_request", "", "", "") as connection:
        assert await column(connection, "SELECT content FROM prompts") == []


async def test_the_tables_take_no_plain_statement_of_a_request(world: World) -> None:
    await household(world)
    caller = await world.caller("member:lin")
    for statement in (
        "UPDATE prompts SET content = 'x'",
        "DELETE FROM prompts",
        "INSERT INTO prompts (tenant_id, layer, version, content, saved_with) VALUES (1, 'global', 9, 'x', gen_random_uuid())",
        "UPDATE memory_uses SET last_used = now()",
        "DELETE FROM memory_uses",
        "INSERT INTO memory_uses (tenant_id, reader_id, memory_id) VALUES (1, 1, gen_random_uuid())",
        "SELECT sweep_prompts('0 days')",
    ):
        async with second_lock_alone(world.installation.dsn, caller) as connection:
            with pytest.raises(errors.InsufficientPrivilege):
                await connection.execute(statement.encode())


async def test_the_function_that_saves_checks_the_rule_again(world: World) -> None:
    await household(world)
    for who, layer, project in (
        ("member:lin", "global", None), ("lin-agent", "global", None), ("stranger", "user", None),
        ("stranger", "conversation", "boss"),
    ):  # fmt: skip
        async with second_lock_alone(world.installation.dsn, await world.caller(who)) as connection:
            with pytest.raises(errors.InsufficientPrivilege):
                await connection.execute(SAVE, (layer, project, "x"))
    async with second_lock_alone(world.installation.dsn, await world.caller("member:wu")) as connection:
        assert await column(connection, SAVE, ("user", None, "of wu")) == [1]
        assert await column(connection, "SELECT content FROM prompts WHERE layer = 'user'") == ["of wu"]


async def test_only_what_one_sees_is_marked_as_used_and_only_for_oneself(world: World) -> None:
    await household(world)
    hidden = await world.write("stranger", "hidden")
    own = await world.write("lin-agent", "of lin", account="lin")
    caller = await world.caller("lin-agent")
    async with world.service.store.write(caller) as tx:
        assert await tx.context.use([hidden.id, own.id]) == 1
    async with second_lock_alone(world.installation.dsn, await world.caller("member:lin")) as connection:
        assert await column(connection, "SELECT memory_id FROM memory_uses") == [own.id]
    for who in ("stranger", "member:wu"):
        async with second_lock_alone(world.installation.dsn, await world.caller(who)) as connection:
            assert await column(connection, "SELECT memory_id FROM memory_uses") == []
    async with world.service.store.write(caller) as tx:
        await tx.memories.forget([own.id])
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        assert await column(connection, "SELECT memory_id FROM memory_uses") == []


async def test_a_memory_that_is_deleted_at_this_very_moment_is_not_used(world: World) -> None:
    await household(world)
    gone, stays = [await world.write("lin-agent", text, account="lin") for text in ("gone", "stays")]
    caller = await world.caller("lin-agent")

    async def use() -> int:
        async with world.service.store.write(caller) as tx:
            return await tx.context.use([stays.id, gone.id])

    async with world.service.store.write(caller) as tx:
        await tx.memories.forget([gone.id])
        using = asyncio.create_task(use())
        await until_one_waits(world.installation.dsn)
    assert await using == 1


async def test_what_another_reader_used_does_not_order_ones_own_context(world: World) -> None:
    """Rules R4: of a team's memories each reader has its own uses."""
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    memories = [await world.write("A", f"note {n}", team_id="T", project_id="boss") for n in range(6)]

    async def order(who: str) -> list[str]:
        bundle = await world.service.assemble_context(await world.caller(who), "boss", "unrelated question")
        return [i.id for i in bundle.parts[3].items]

    before = await order("B")
    last = before[-1]
    async with world.service.store.write(await world.caller("A")) as tx:
        await tx.context.use([m.id for m in memories if str(m.id) == last])
    assert await order("B") == before
    assert (await order("A"))[0] == last


async def test_saves_at_the_same_moment_are_versions_one_after_the_other(world: World) -> None:
    await household(world)
    caller = await world.caller("lin-agent")
    prompts = world.service.prompts
    await asyncio.gather(*(prompts.set_user(caller, f"text {n}") for n in range(12)))
    history = await prompts.history(caller, None, 50, None)
    assert [p.version for p in history.items] == list(range(13, 0, -1))
    assert {p.content for p in history.items} == {"of lin", *(f"text {n}" for n in range(12))}
    results = await asyncio.gather(
        *(prompts.set_user(caller, f"again {n}", version=13) for n in range(6)), return_exceptions=True
    )
    assert len([r for r in results if isinstance(r, VersionConflict)]) == 5
    assert (await prompts.user(caller)).version == 14


async def test_controls_that_two_change_at_the_same_moment_keep_both_changes(world: World) -> None:
    await household(world)
    caller = await world.caller("member:lin")
    prompts = world.service.prompts
    await asyncio.gather(
        prompts.set_controls(caller, "boss", PromptPatch(frozenset({"model"}), model="m-1")),
        prompts.set_controls(caller, "boss", PromptPatch(CONTENT, "new")),
    )
    now = await prompts.controls(caller, "boss")
    assert (now.content, now.model) == ("new", "m-1")


async def test_who_looks_with_the_eyes_of_another_saves_nothing(world: World) -> None:
    await household(world)
    operator = await world.key(permissions=[Permission.INSPECT])
    credential = await world.service.authenticate(operator)
    eyes = await world.service.authenticate.seen_as(credential, "member:lin", "GET /x")
    assert (await world.service.prompts.user(eyes)).content == "of lin"
    with pytest.raises(Forbidden):
        await world.service.prompts.set_user(eyes, "x")
    async with second_lock_alone(world.installation.dsn, eyes) as connection:
        with pytest.raises(errors.InsufficientPrivilege):
            await connection.execute(SAVE, ("user", None, "x"))


async def test_saving_is_in_the_audit_trail_without_the_text(world: World) -> None:
    await household(world)
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        rows = await column(connection, "SELECT to_jsonb(a) FROM audit a WHERE action = 'prompt.save' ORDER BY audit_no")
    assert [(r["target"], r["detail"]) for r in rows] == [
        ("global", {"version": 1}), ("user", {"version": 1}), ("conversation", {"version": 1}),
    ]  # fmt: skip
    assert "of lin" not in str(rows)
    assert [r["concerns"] is None for r in rows] == [True, False, False]


async def test_the_prompts_of_a_departed_member_go_after_its_grace(world: World) -> None:
    await household(world)
    await world.service.administer.remove_member(await world.admin(), "lin")
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        assert len(await column(connection, "SELECT content FROM prompts")) == 3
        await connection.execute("UPDATE principals SET deleted_at = now() - interval '400 days' WHERE deleted_at IS NOT NULL")
        await connection.commit()
    await world.service.work.sweep_old()
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        assert await column(connection, "SELECT content FROM prompts") == ["global"]


async def test_a_layer_that_is_another_accounts_is_like_one_that_was_never_saved(world: World) -> None:
    await household(world)
    caller = await world.caller("member:wu")
    async with world.service.store.read(caller) as tx:
        layers = await tx.prompts.layers("boss")
        assert (layers.user.version, layers.conversation.version) == (0, 0)
        assert list(await tx.prompts.history(PromptLayer.CONVERSATION, "boss", None, 10)) == []
    assert (await world.service.prompts.controls(caller, f"unknown {uuid4()}")).version == 0
