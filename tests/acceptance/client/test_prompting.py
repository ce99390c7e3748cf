"""Prompts, contexts and account memories through the Python client, waiting and awaited."""

import pytest

from whoknows.client import ApiError

from .conftest import Served


@pytest.fixture
async def member(served: Served) -> Served:
    await served.world.members("lin")
    await served.world.agents("lin-agent", account="lin")
    return served


async def test_prompts_are_saved_and_composed(member: Served) -> None:
    async with member.client("admin") as admin:
        await admin.set_prompt_policy("全局")
        assert (await admin.prompt_policy_history())["items"][0]["globalPrompt"] == "全局"
    async with member.client("lin-agent") as agent:
        await agent.set_user_prompt("用户", version=0)
        saved = await agent.set_agent_controls(
            "a/b c", promptOverride="对话", modelOverride=None, reasoningEffortOverride="low"
        )
        assert saved["reasoningEffortOverride"] == "low"
        told = await agent.context("a/b c", "你好", conversation_id="c-1")
        assert told["composed"].startswith("全局\n\n用户\n\n对话\n\n")
        assert (await agent.agent_controls_history("a/b c"))["items"][0]["promptOverride"] == "对话"
        assert (await agent.user_prompt_history(limit=1))["items"][0]["content"] == "用户"
        with pytest.raises(ApiError) as refused:
            await agent.set_prompt_policy("x")
    assert (refused.value.status, refused.value.code) == (403, "permission_missing")
    assert (await member.waiting("member:lin", lambda wk: wk.user_prompt("lin")))["content"] == "用户"
    assert (await member.waiting("member:lin", lambda wk: wk.agent_controls("a/b c")))["promptOverride"] == "对话"
    assert (await member.waiting("A", lambda wk: wk.prompt_policy()))["globalPrompt"] == "全局"


async def test_memories_of_an_account_are_kept_changed_and_deleted(member: Served) -> None:
    async with member.client("member:lin") as lin:
        kept = await lin.add_master_memory("服务器在上海", projectId="boss", memoryType="decision", tags=["服务器"])
        assert (await lin.add_master_memory("服务器在上海", projectId="boss"))["memoryId"] == kept["memoryId"]
        changed = await lin.change_master_memory(kept["memoryId"], content="服务器在杭州", version=1)
        assert changed["version"] == 2
        with pytest.raises(ApiError, match="version_conflict"):
            await lin.change_master_memory(kept["memoryId"], content="x", version=1)
        await lin.change_master_memory(kept["memoryId"], archived=True)
        assert (await lin.master_memories(project_id="boss"))["items"] == []
        (archived,) = (await lin.master_memories(scope="project", archived=True, tags=["服务器"]))["items"]
        assert archived["content"] == "服务器在杭州"
        assert (await lin.delete_master_memory(kept["memoryId"]))["deleted"] == 1
