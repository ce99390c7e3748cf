"""The context of a message through REST: what goes in, what never does, and what is moved by using it."""

from typing import Any
from uuid import UUID

import httpx

from whoknows.context.bundle import Bundle
from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import AgentRole
from whoknows.errors import EmbedderUnavailable
from whoknows.flows.aim import Aim
from whoknows.flows.assemble_context import AssembleContext
from worlds import HashEmbedder, World

from .conftest import Edge, problem

PATH = "/master-agent/context"


async def household(world: World) -> None:
    await world.members("lin", "wu")
    await world.agents("lin-agent", "lin-second", account="lin")
    await world.agents("wu-agent", account="wu")
    await world.agents("stranger")
    await world.team("T", **{"lin-agent": "writer", "wu-agent": "writer"})


async def remember(client: httpx.AsyncClient, content: str, **fields: Any) -> str:
    response = await client.post("/master-agent/memories", json={"content": content, **fields})
    assert response.status_code == 201, response.text
    return response.json()["memoryId"]


async def context(client: httpx.AsyncClient, message: str = "今天能发布吗？", project: str = "boss") -> dict[str, Any]:
    response = await client.get(PATH, params={"projectId": project, "message": message})
    assert response.status_code == 200, response.text
    return response.json()


def inside(told: dict[str, Any], part: str) -> list[str]:
    return [i["memoryId"] for p in told["parts"] if p["part"] == part for i in p["items"]]


async def used(world: World, who: str, message: str = "今天能发布吗？", project: str = "boss") -> Bundle:
    """A context that a model got, as the chat does it."""
    caller = await world.caller(who)
    bundle = await world.service.assemble_context(caller, project, message)
    async with world.service.store.write(caller) as tx:
        await tx.context.use([MemoryId(UUID(i)) for i in bundle.memories])
    return bundle


async def test_a_context_really_contains_all_prompts_and_the_users_memories(world: World, edge: Edge) -> None:
    """Acceptance criterion 4 of the second source, the half that is not the model's."""
    await household(world)
    async with edge.admin as admin, edge.as_("member:lin") as lin, edge.as_("lin-agent") as agent:
        await admin.post("/master-agent/prompt-policy", json={"globalPrompt": "全局规则"})
        await lin.post("/master-agent/user-prompt", json={"content": "用户提示"})
        await lin.post("/projects/boss/agent-controls", json={"promptOverride": "对话提示", "reasoningEffortOverride": "low"})
        general = await remember(lin, "用户偏好微信式交互", memoryType="user_preference")
        project = await remember(agent, "服务器固定在上海机房", projectId="boss", memoryType="decision", title="机房")
        told = await context(agent)
    texts = {p["part"]: p["text"] for p in told["parts"]}
    assert list(texts) == [
        "global_prompt", "user_prompt", "conversation_prompt", "project_memories", "user_memories", "runtime", "message",
    ]  # fmt: skip
    assert (texts["global_prompt"], texts["user_prompt"], texts["conversation_prompt"]) == ("全局规则", "用户提示", "对话提示")
    assert inside(told, "project_memories") == [project]
    assert inside(told, "user_memories") == [general]
    assert f"```memory {project} | decision | agent:lin-agent in member:lin | " in texts["project_memories"]
    assert "\n机房\n服务器固定在上海机房\n```" in texts["project_memories"]
    for said in ('Project: "boss"', 'Agent: "agent:lin-agent", for "member:lin"', 'Teams: "T"', "reasoning effort: low"):
        assert said in texts["runtime"]
    assert "mode: evidence" in texts["runtime"]
    assert told["composed"] == "\n\n".join(t for t in texts.values() if t)
    assert told["composed"].endswith("\n\n今天能发布吗？")
    assert told["tokens"] > 0
    assert told["tokenizer"]


async def test_a_preference_that_matches_no_question_goes_in_all_the_same(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        wanted = await remember(lin, "所有回答都用表格")
        told = await context(lin, "what is the weather like")
    assert inside(told, "user_memories") == [wanted]


async def test_a_project_sees_its_own_memories_and_no_other_projects(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        boss = await remember(lin, "发布在周二", projectId="boss")
        other = await remember(lin, "发布在周五", projectId="other")
        general = await remember(lin, "发布前要确认")
        told = {p: await context(lin, project=p) for p in ("boss", "other", "unknown")}
    assert inside(told["boss"], "project_memories") == [boss]
    assert inside(told["other"], "project_memories") == [other]
    assert inside(told["unknown"], "project_memories") == []
    assert all(inside(t, "user_memories") == [general] for t in told.values())
    assert "周五" not in told["boss"]["composed"]
    assert "周二" not in told["other"]["composed"]


async def test_another_accounts_memories_and_prompts_are_in_no_context(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        await remember(lin, "蓝鲸口令一", projectId="boss")
        await remember(lin, "蓝鲸口令二")
        await lin.post("/master-agent/user-prompt", json={"content": "蓝鲸提示"})
        await lin.post("/projects/boss/agent-controls", json={"promptOverride": "蓝鲸对话"})
        assert (await context(lin, "蓝鲸"))["composed"].count("蓝鲸") == 5
    for who in ("member:wu", "wu-agent", "stranger"):
        async with edge.as_(who) as other:
            told = await context(other, "口令是什么？")
            assert "蓝鲸" not in str(told)
            assert inside(told, "project_memories") == inside(told, "user_memories") == []


async def test_what_an_account_has_changes_nothing_in_anothers_context(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:wu") as wu, edge.as_("member:lin") as lin:
        for n in range(5):
            await remember(wu, f"吴的第 {n} 条记忆，关于发布")

        def settled(told: dict[str, Any]) -> str:
            return str({k: v for k, v in told.items() if k in ("dropped", "marks")}) + str(
                [p for p in told["parts"] if p["part"] != "runtime"]
            )

        before = settled(await context(wu))
        for n in range(20):
            await remember(lin, f"林的第 {n} 条记忆，关于发布", tags=["发布"])
        await used(world, "lin-agent")
        assert settled(await context(wu)) == before


async def test_in_a_context_is_only_what_all_who_read_the_conversation_may_read(world: World, edge: Edge) -> None:
    """The member and its main agents read one conversation: what one of them has for itself would reach the others."""
    await household(world)
    await world.team("*", **{"wu-agent": "writer"})
    everyones = await world.write("wu-agent", "所有人的：端口是 5432", team_id="*", project_id="boss")
    other_project = await world.write("wu-agent", "所有人的：别的项目", team_id="*", project_id="other")
    hidden = [
        await world.write("wu-agent", "团队：端口是 5433", team_id="T", project_id="boss"),
        await world.write("stranger", "分享的：端口", visible_to=("lin-agent",), project_id="boss"),
        await world.write("lin-agent", "代理自己的：端口", project_id="boss"),
    ]
    async with edge.as_("lin-agent") as agent, edge.as_("member:lin") as lin:
        own = await remember(lin, "账户的：端口", projectId="boss")
        for reader in (agent, lin):
            told = await context(reader, "端口")
            assert set(inside(told, "project_memories")) == {str(everyones.id), own}
            for memory in (other_project, *hidden):
                assert str(memory.id) not in str(told)
                assert memory.content not in str(told)


async def test_archived_superseded_and_expired_memories_are_never_in(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        archived = await remember(lin, "归档的", projectId="boss")
        await lin.post(f"/master-agent/memories/{archived}", json={"archived": True})
        old = await remember(lin, "旧端口 5432", projectId="boss")
        await used(world, "member:lin")
        new = await lin.post(
            "/capture", json={"content": "新端口 5433", "account": "lin", "project_id": "boss", "supersedes": old}
        )
        told = await context(lin, "旧端口 5432 归档的")
        assert inside(told, "project_memories") == [new.json()["memory"]["id"]]


async def test_used_moves_with_using_and_not_with_looking(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        memory = await remember(lin, "发布在周二", projectId="boss")

        async def last_used() -> str | None:
            return (await lin.get("/master-agent/memories")).json()["items"][0]["lastUsedAt"]

        assert await last_used() is None
        await context(lin)
        assert await last_used() is None
        bundle = await used(world, "lin-agent")
        assert [i.id for p in bundle.parts for i in p.items] == [memory]
        first = await last_used()
        assert first is not None
        await context(lin)
        assert await last_used() == first
        await used(world, "member:lin")
        assert (await last_used() or "") > first


async def test_last_used_is_kept_for_each_reader(world: World, edge: Edge) -> None:
    """Of account memory the account is the reader; of everyone's, each by itself (rules R4)."""
    await household(world)
    await world.team("*", **{"wu-agent": "writer"})
    await world.write("wu-agent", "所有人的：发布在周二", team_id="*", project_id="boss")
    filler = [await world.write("wu-agent", f"所有人的：第 {n} 条", team_id="*", project_id="boss") for n in range(3)]
    async with edge.as_("wu-agent") as wu:
        before = await context(wu, "别的事")
        await used(world, "lin-agent", "发布在周二")
        assert (await context(wu, "别的事"))["parts"][3] == before["parts"][3]
    assert len(filler) == 3
    async with edge.as_("member:lin") as lin, edge.as_("lin-second") as second:
        await remember(lin, "账户的记忆")
        await used(world, "lin-agent")
        for client in (lin, second):
            assert (await client.get("/master-agent/memories")).json()["items"][0]["lastUsedAt"]


async def test_what_was_used_lately_and_what_carries_a_named_tag_come_first(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        lately = await remember(lin, "喜欢简短")
        await used(world, "lin-agent")
        tagged = await remember(lin, "完全无关的一句话", tags=["部署"])
        scored = await remember(lin, "明天的安排是开会")
        plain = await remember(lin, "weather")
        told = await context(lin, "部署之后，明天的安排是什么？")
    assert inside(told, "user_memories") == [lately, tagged, scored, plain]


async def test_what_had_no_room_is_listed_with_its_reason(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        ids = [await remember(lin, f"第 {n} 条：" + "很长的记忆。" * 80) for n in range(12)]
        told = await context(lin, "记忆")
        kept = inside(told, "user_memories")
        dropped = {d["id"]: d for d in told["dropped"]}
        assert set(kept) | set(dropped) == set(ids)
        assert kept
        assert dropped
        assert all(d["part"] == "user_memories" and d["why"] for d in dropped.values())


async def test_bad_questions_for_a_context_get_a_clear_error(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        await problem(await lin.get(PATH), 422, "invalid")
        await problem(await lin.get(PATH, params={"projectId": "boss"}), 422, "invalid", "message")
        await problem(await lin.get(PATH, params={"message": "x"}), 422, "invalid", "projectId")
        await problem(await lin.get(PATH, params={"projectId": "boss", "message": " "}), 422, "invalid", "message")
        await problem(await lin.get(PATH, params={"projectId": " ", "message": "x"}), 422, "invalid", "projectId")
        await problem(await lin.post(PATH, json={"projectId": "boss", "message": "长" * 20_000}), 422, "text_too_long")
        long = await lin.post(PATH, json={"projectId": "boss", "message": "长" * 10_500})
        assert long.status_code == 200
        assert long.json()["parts"][6]["text"] == "长" * 10_500
        async with edge.admin as admin:
            await admin.post("/master-agent/prompt-policy", json={"globalPrompt": "规" * 10_000})
        await problem(await lin.post(PATH, json={"projectId": "boss", "message": "长" * 10_500}), 422, "context_too_long")


async def test_a_sub_agent_has_its_own_context_and_nothing_of_the_member(world: World, edge: Edge) -> None:
    await household(world)
    await world.agents("sub", role=AgentRole.SUB, parent="lin-agent")
    own = await world.write("sub", "子代理自己的记忆", project_id="boss")
    async with edge.as_("member:lin") as lin, edge.as_("sub") as sub:
        await remember(lin, "账户的秘密", projectId="boss")
        await lin.post("/master-agent/user-prompt", json={"content": "用户提示"})
        told = await context(sub, "秘密")
    assert inside(told, "project_memories") == [str(own.id)]
    assert "账户的秘密" not in told["composed"]
    assert "用户提示" not in told["composed"]


class Broken(HashEmbedder):
    """An embedder that does not answer."""

    async def embed_question(self, text: str) -> list[float]:
        raise EmbedderUnavailable


async def test_without_the_embedder_words_tags_and_use_still_choose(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        by_words = await remember(lin, "端口是 5433")
        other = await remember(lin, "喜欢表格")
    s = world.service
    assembling = AssembleContext(s.store, Aim(s.store, Broken(), s.egress), s.tokenizer, s.limits, s.recall.clock, s.egress)
    bundle = await assembling(await world.caller("member:lin"), "boss", "端口")
    assert [i.id for i in bundle.parts[4].items] == [by_words, other]


async def test_the_moment_names_conversation_and_model(world: World) -> None:
    await household(world)
    s = world.service
    assembling = AssembleContext(
        s.store, s.aim, s.tokenizer, s.limits, s.recall.clock, s.egress, "m-1", "Asia/Shanghai", "medium"
    )
    bundle = await assembling(await world.caller("lin-agent"), "boss", "x", "c-9")
    runtime = bundle.parts[5].text
    assert "+08:00" in runtime
    assert "Asia/Shanghai" in runtime
    assert 'Conversation: "c-9"' in runtime
    assert 'Model: "m-1"; reasoning effort: medium; mode: full' in runtime
    assert (bundle.model, bundle.effort) == ("m-1", "medium")
