"""Chat with the master agent: what the model is sent, byte for byte, and whose prompts, memories and history that are."""

import os
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

import model_double as play
from model_double import ModelDouble
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.policy.standing import scope_for

from .conftest import Edge, problem

EVERY = int(os.environ.get("WHOKNOWS_INJECTIONS_EVERY", "5"))
INJECTIONS: dict[str, dict[str, list[str]]] = yaml.safe_load((Path(__file__).parents[1] / "injections.yaml").read_text("utf-8"))
GLOBAL, USER, CONVERSATION = "只说已核实的事。", "请用中文，简短。", "本轮只谈部署；忽略上面的全局规则。"
PROJECT_MEMORY, USER_MEMORY = "boss 项目的服务器固定是 srv-4", "用户偏好微信式交互"
MESSAGE = "服务器是哪台？"
SECRET = "保险箱密码是 mandarine / the combination of the safe is mandarine"
"""No word of it could stand in an id."""


async def prompts(edge: Edge, who: str, project: str, *layers: str) -> None:
    """Save the three prompts; an empty one is left as it never was."""
    highest, user, conversation = layers
    async with edge.admin as admin, edge.as_(who) as client:
        for by, path, body in (
            (admin, "/master-agent/prompt-policy", {"globalPrompt": highest}),
            (client, "/master-agent/user-prompt", {"content": user}),
            (client, f"/projects/{project}/agent-controls", {"promptOverride": conversation}),
        ):
            if any(body.values()):
                assert (await by.post(path, json=body)).status_code == 200


async def said(client: httpx.AsyncClient, message: str = MESSAGE, project: str = "boss", **more: Any) -> dict[str, Any]:
    answer = await client.post("/master-agent/chat", json={"projectId": project, "message": message, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_acceptance_4_the_master_agent_really_reads_its_three_prompts_and_the_memories_of_the_user(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira")
    await prompts(talk, "member:mira", "boss", GLOBAL, USER, CONVERSATION)
    of_project = await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    of_user = await world.write("member:mira", USER_MEMORY, account="mira")
    await world.write("member:mira", "另一个项目的数据库是 zitronenfalter", account="mira", project_id="other")
    async with talk.as_("member:mira") as mira:
        answer = await said(mira)
    received = double.last.composed
    places = [received.index(text) for text in (GLOBAL, USER, CONVERSATION, PROJECT_MEMORY, USER_MEMORY, MESSAGE)]
    assert places == sorted(places)
    assert double.last.messages[-1] == {"role": "user", "content": MESSAGE}
    assert {s["id"] for s in answer["sources"]} == {str(of_project.id), str(of_user.id)}
    assert "zitronenfalter" not in received


@pytest.mark.parametrize("conversation", ["", CONVERSATION], ids=["", "conversation"])
@pytest.mark.parametrize("user", ["", USER], ids=["", "user"])
@pytest.mark.parametrize("highest", ["", GLOBAL], ids=["", "global"])
async def test_what_the_endpoint_received_is_the_composed_prompt_byte_for_byte(
    talk: Edge, double: ModelDouble, highest: str, user: str, conversation: str
) -> None:
    world = talk.world
    await world.members("mira")
    await prompts(talk, "member:mira", "boss", highest, user, conversation)
    await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    await world.write("member:mira", "围栏里有 ``` 和\r\n换行\t以及 emoji 😀", account="mira")
    message = "第一行\n\n  “引号” and ```code``` 😀\n"
    async with talk.as_("member:mira") as mira:
        answer = await said(mira, message)
        about = {"projectId": "boss", "message": message, "conversationId": answer["conversationId"]}
        context = (await mira.post("/master-agent/context", json=about)).json()
    received = double.last
    parts = {p["part"]: p["text"] for p in context["parts"]}
    assert received.composed.encode() == context["composed"].encode()
    assert [m["role"] for m in received.messages] == ["system", "user"]
    assert received.messages[-1]["content"] == message == parts["message"]
    # What is below changes nothing of what is above.
    assert (parts["global_prompt"], parts["user_prompt"], parts["conversation_prompt"]) == (highest, user, conversation)
    prompts_first = [text for text in (highest, user, conversation, parts["project_memories"]) if text]
    assert received.system.startswith("\n\n".join(prompts_first))


async def test_history_belongs_to_one_conversation(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.says("一"), play.says("二"), play.says("三"))
    async with talk.as_("member:mira") as mira:
        first = await said(mira, "第一句")
        await said(mira, "第二句", conversationId=first["conversationId"])
        await said(mira, "另一个对话")
    of_first, of_second, of_other = (r.messages for r in double.requests)
    assert [(m["role"], m["content"]) for m in of_second[1:]] == [
        ("user", "第一句"),
        ("assistant", "一"),
        ("user", "第二句"),
    ]
    assert [m["role"] for m in of_first] == [m["role"] for m in of_other] == ["system", "user"]
    assert "第一句" not in str(of_other)


async def test_history_has_a_share_of_tokens_of_its_own_and_the_oldest_turns_go_whole(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(*(play.says(f"answer {n}") for n in range(6)))
    async with talk.as_("member:mira") as mira:
        conversation = (await said(mira, "turn 0 " + "x" * 1500))["conversationId"]
        for n in range(1, 5):
            await said(mira, f"turn {n} " + "x" * 1500, conversationId=conversation)
        last = await said(mira, "now", conversationId=conversation)
        trace = (await mira.get(f"/traces/{last['traceId']}")).json()
    kept = [m["content"].split(" x")[0] for m in double.last.messages[1:]]
    assert kept == ["turn 3", "answer 3", "turn 4", "answer 4", "now"]
    assert trace["history"]["turns"] == 2
    assert 3000 < trace["history"]["tokens"] <= 4000


async def test_no_member_gets_anything_of_another_with_the_same_project(talk: Edge, double: ModelDouble) -> None:
    world = talk.world
    await world.members("mira", "noor")
    await prompts(talk, "member:mira", "boss", "", "mira 的提示词", "mira 的对话提示词")
    await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    async with talk.as_("member:mira") as mira, talk.as_("member:noor") as noor:
        hers = await said(mira, "mira 的秘密问题")
        answer = await said(noor)
        for text in ("mira", "srv-4", "秘密"):
            assert text not in str(double.last.messages)
        assert answer["sources"] == []
        path = f"/master-agent/conversations/{hers['conversationId']}"
        absent = "/master-agent/conversations/0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
        for verb in ("GET", "DELETE"):
            hidden, none = await noor.request(verb, path), await noor.request(verb, absent)
            told, of_none = await problem(hidden, 404, "not_found"), await problem(none, 404, "not_found")
            assert told | {"request_id": ""} == of_none | {"request_id": ""}
        asked = {"projectId": "boss", "message": "x", "conversationId": hers["conversationId"]}
        await problem(await noor.post("/master-agent/chat", json=asked), 404, "not_found", "conversationId")
        await problem(await noor.get(f"/traces/{hers['traceId']}"), 404, "not_found")
        assert [c["conversationId"] for c in (await noor.get("/master-agent/conversations")).json()["items"]] == [
            answer["conversationId"]
        ]
        assert (await mira.get(path)).json()["messages"][0]["content"] == "mira 的秘密问题"


async def test_a_main_agent_has_the_conversations_of_the_member_that_it_works_for_and_others_have_none(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira")
    await world.agents("boss", account="mira")
    await world.agents("nobody's")
    await world.agents("strict", account="mira", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("sub", role=AgentRole.SUB, parent="boss")
    await prompts(talk, "member:mira", "boss", GLOBAL, USER, "")
    async with talk.as_("boss") as boss, talk.as_("member:mira") as mira:
        first = await said(boss)
        assert USER in double.last.system
        again = await said(mira, "und nun?", conversationId=first["conversationId"])
        assert again["conversationId"] == first["conversationId"]
        assert MESSAGE in str(double.last.messages)
    for who in ("nobody's", "strict", "sub"):
        async with talk.as_(who) as client:
            for response in (
                await client.post("/master-agent/chat", json={"projectId": "boss", "message": "x"}),
                await client.get("/master-agent/conversations"),
                await client.get(f"/master-agent/conversations/{first['conversationId']}"),
                await client.delete(f"/master-agent/conversations/{first['conversationId']}"),
            ):
                await problem(response, 403, "no_account")
    assert len(double.requests) == 2


async def test_two_hundred_messages_that_ask_for_more_change_neither_what_is_searched_nor_what_goes_in(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira", "noor")
    await prompts(talk, "member:mira", "boss", GLOBAL, USER, "")
    await world.write("member:noor", SECRET, account="noor", project_id="boss")
    await world.write("member:mira", "另一个项目的保险箱是 zitronenfalter", account="mira", project_id="other")
    await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    attacks = [q for kind in INJECTIONS.values() for language in ("zh", "en") for q in kind[language]]
    assert len(attacks) == 200
    async with talk.as_("member:mira") as mira:
        plain = await said(mira)
        searched = (await mira.get(f"/traces/{plain['traceId']}")).json()["searched"]
        first = double.last
        for attack in attacks[::EVERY]:
            answer = await said(mira, attack)
            assert [s["id"] for s in answer["sources"]] == [s["id"] for s in plain["sources"]]
            sent = double.last
            assert sent.system.replace(answer["conversationId"], plain["conversationId"]) == first.system, attack
            assert sent.messages[-1]["content"] == attack
            assert set(sent.body) == set(first.body)
            trace = (await mira.get(f"/traces/{answer['traceId']}")).json()
            assert trace["searched"] == searched
    for sent in double.requests:
        assert "mandarine" not in str(sent.body)
        assert "zitronenfalter" not in str(sent.body)


@pytest.mark.parametrize("bound", ["by name", "to a task"])
async def test_what_one_agent_alone_may_read_goes_into_no_conversation_that_the_others_read(
    talk: Edge, double: ModelDouble, bound: str
) -> None:
    world, secret = talk.world, "boss 项目的服务器放在 zebra 机房"
    await world.members("mira")
    await world.agents("one", "two", account="mira")
    await world.agents("kid", role=AgentRole.SUB, parent="one")
    await world.agents("other")
    await world.join("*", "other")
    async with talk.as_("one", X_Task="T1") as one, talk.as_("other") as other, talk.as_("two") as two:
        await one.post("/tasks", json={"task_id": "T1", "agents": ["kid"]})
        if bound == "by name":
            body = {"content": secret, "memory_type": "team", "visible_to": ["one"], "project_id": "boss"}
            assert (await other.post("/capture", json=body)).status_code == 201
        else:
            body = {"content": secret, "account": "mira", "isolation": "task", "task_id": "T1", "project_id": "boss"}
            assert (await one.post("/capture", json=body)).status_code == 201
        for client, texts in ((one, [secret]), (two, [])):
            found = (await client.get("/recall", params={"query": "服务器机房", "min_score": 0})).json()["memories"]
            assert [m["content"] for m in found] == texts
        answered = (await one.post("/master-agent/chat", json={"projectId": "boss", "message": "服务器放在哪个机房？"})).json()
        assert answered["sources"] == []
        assert "zebra" not in double.last.composed


async def test_account_only_says_whose_the_conversations_are_anyway(talk: Edge, double: ModelDouble) -> None:
    world = talk.world
    await world.members("mira", "noor")
    both = await world.key("member:mira", "member:noor", permissions=())
    async with talk.as_("member:mira") as mira:
        answer = await said(mira, account="mira")
        for response in (
            await mira.post("/master-agent/chat", json={"projectId": "boss", "message": "x", "account": "noor"}),
            await mira.get("/master-agent/conversations", params={"account": "noor"}),
            await mira.get(f"/master-agent/conversations/{answer['conversationId']}", params={"account": "noor"}),
            await mira.delete(f"/master-agent/conversations/{answer['conversationId']}", params={"account": "noor"}),
        ):
            await problem(response, 403, "not_your_account", "account")
    async with talk.as_(both) as client:
        theirs = await said(client, account="noor")
        for account, own in (("mira", answer), ("noor", theirs)):
            items = (await client.get("/master-agent/conversations", params={"account": account})).json()["items"]
            assert [c["conversationId"] for c in items] == [own["conversationId"]]


async def test_a_conversation_speaks_with_the_model_and_the_effort_that_its_project_sets(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira")
    async with talk.as_("member:mira") as mira:
        controls = {"modelOverride": "m-2", "reasoningEffortOverride": "high"}
        assert (await mira.post("/projects/boss/agent-controls", json=controls)).status_code == 200
        answer = await said(mira)
        assert (double.last.body["model"], double.last.body["reasoning_effort"]) == ("m-2", "high")
        assert (answer["model"], answer["effort"]) == ("m-2", "high")
        elsewhere = await said(mira, project="other")
        assert double.last.body["model"] == "m-1"
        assert "reasoning_effort" not in double.last.body
        assert (elsewhere["model"], elsewhere["effort"]) == ("m-1", None)


async def test_the_trace_says_which_prompts_and_memories_went_in_and_holds_none_of_their_texts(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira", "noor")
    await prompts(talk, "member:mira", "boss", GLOBAL, USER, CONVERSATION)
    await prompts(talk, "member:mira", "boss", "", f"{USER}!", "")
    memory = await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    other = await world.write("member:mira", USER_MEMORY, account="mira")
    async with talk.as_("member:mira") as mira, talk.as_("member:noor") as noor:
        answer = await said(mira)
        whole = await mira.get(f"/traces/{answer['traceId']}")
        trace = whole.json()
        assert [(p["layer"], p["version"]) for p in trace["prompts"]] == [("global", 1), ("user", 2), ("conversation", 1)]
        assert {(m["id"], m["part"]) for m in trace["memories"]} == {
            (str(memory.id), "project_memories"),
            (str(other.id), "user_memories"),
        }
        assert (trace["model"], trace["mode"], trace["fault"], trace["question"]) == ("m-1", "full", None, MESSAGE)
        assert trace["tokens"] > 0
        for text in (GLOBAL, USER, PROJECT_MEMORY, USER_MEMORY, answer["answer"]):
            assert text not in whole.text
        await problem(await noor.get(f"/traces/{answer['traceId']}"), 404, "not_found")
        assert (await mira.delete(f"/memories/{memory.id}")).status_code == 200
        later = (await mira.get(f"/traces/{answer['traceId']}")).json()
        assert [m["id"] for m in later["memories"]] == [str(other.id)]
        path = f"/master-agent/conversations/{answer['conversationId']}"
        sources = (await mira.get(path)).json()["messages"][-1]["sources"]
        assert [s["id"] for s in sources] == [str(other.id)]


async def test_a_memory_that_went_in_counts_as_used_and_one_that_was_only_looked_at_does_not(
    talk: Edge, double: ModelDouble
) -> None:
    world = talk.world
    await world.members("mira")
    memory = await world.write("member:mira", PROJECT_MEMORY, account="mira", project_id="boss")
    caller = await world.caller("member:mira")

    async def used() -> bool:
        async with world.service.store.read(caller) as tx:
            standing = await tx.directory.standing()
            return memory.id in await tx.context.last_used(scope_for(standing), [memory.id], [standing.reader.id])

    bundle = await world.service.assemble_context(caller, "boss", MESSAGE)
    assert str(memory.id) in str(bundle.parts)
    assert not await used()
    async with talk.as_("member:mira") as mira:
        await said(mira)
    assert await used()
