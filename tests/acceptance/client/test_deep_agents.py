"""Deep agents with memory: what reaches the model, for the agent and for each of its sub-agents. The models are doubles."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from whoknows.domain.principal import AgentRole
from whoknows.integrations.deepagents import Access, WhoKnowsMemory, with_memory

from .conftest import Served


class Recorder(BaseChatModel):
    """A double of a model: answers with what it was given, in turn, and keeps what it was sent."""

    answers: list[AIMessage]
    sent: list[list[BaseMessage]]
    tools: list[str] = []  # noqa: RUF012

    @property
    def _llm_type(self) -> str:
        return "double"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> "Recorder":
        self.tools[:] = [getattr(t, "name", str(t)) for t in tools]
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.sent.append(messages)
        answer = self.answers[min(len(self.sent), len(self.answers)) - 1]
        return ChatResult(generations=[ChatGeneration(message=answer.model_copy(update={"id": None}))])

    @property
    def read(self) -> str:
        return "\n".join(m.text for messages in self.sent for m in messages)


def model(*answers: AIMessage) -> Recorder:
    return Recorder(answers=list(answers or [AIMessage("好的。")]), sent=[], tools=[])


def delegates(*names: str) -> AIMessage:
    call = {"name": "task", "type": "tool_call"}
    args = {"description": "Which port does the staging database use? And the vault?"}
    return AIMessage("", tool_calls=[{**call, "id": f"t{n}", "args": {**args, "subagent_type": n}} for n in names])


async def test_each_sub_agent_knows_what_its_own_key_may_know_and_nothing_of_the_agent_above(served: Served) -> None:
    await served.world.agents("A1", "B1", parent="A", role=AgentRole.SUB)
    async with served.client("A") as wk:
        port = (await wk.capture("The staging database uses port 5433."))["memory"]
        await wk.capture("The vault of the staging database opens with blue whale.")
        await wk.inject_context("A1", "staging database", memory_ids=[port["id"]])
    main, a1, b1, spare = model(delegates("a1", "b1", "general-purpose"), AIMessage("done")), model(), model(), model()
    subagents = with_memory(
        [
            {"name": "a1", "description": "first", "system_prompt": "s", "model": a1},
            {"name": "b1", "description": "second", "system_prompt": "s", "model": b1},
        ],
        {"a1": served.key("A1"), "b1": served.key("B1")},
        url=served.url,
    )
    subagents.append({"name": "general-purpose", "description": "spare", "system_prompt": "s", "model": spare})
    memory = WhoKnowsMemory(url=served.url, key=served.key("A"))
    agent = create_deep_agent(main, middleware=[memory], subagents=subagents)
    await agent.ainvoke({"messages": [HumanMessage("Which port does the staging database use? And the vault?")]})
    assert "5433" in main.read
    assert "blue whale" in main.read
    assert "5433" in a1.read
    assert "5433" not in b1.read + spare.read
    assert "blue whale" not in a1.read + b1.read + spare.read
    assert "whoknows-memory" not in b1.read + spare.read
    assert {"recall", "remember"} <= set(main.tools) & set(a1.tools)
    assert not {"recall", "remember"} & set(spare.tools)


async def test_the_sub_agent_that_is_there_by_default_gets_its_own_too(served: Served) -> None:
    await served.world.write("A", "The staging database uses port 5433.")
    await served.world.write("B", "The staging database is in Frankfurt.")
    double = model(delegates("general-purpose"), AIMessage("looked"), AIMessage("done"))
    subagents = with_memory([], {"general-purpose": served.key("B")}, url=served.url)
    agent = create_deep_agent(double, middleware=[WhoKnowsMemory(url=served.url, key=served.key("A"))], subagents=subagents)
    await agent.ainvoke({"messages": [HumanMessage("Which port does the staging database use?")]})
    main, sub, after = ("\n".join(m.text for m in messages) for messages in double.sent)
    assert "5433" in main
    assert "5433" in after
    assert "Frankfurt" in sub
    assert "5433" not in sub
    assert "Frankfurt" not in main + after


async def test_in_a_project_nothing_of_another_one_is_told(served: Served) -> None:
    for project, port in (("shop", "5433"), ("bank", "9999"), (None, "1111")):
        await served.world.write("A", f"The staging database of us uses port {port}.", project_id=project)
    double = model()
    memory = WhoKnowsMemory(url=served.url, key=served.key("A"), project_id="shop", min_score=0, capture=False)
    await create_deep_agent(double, middleware=[memory]).ainvoke({"messages": [HumanMessage("staging database port?")]})
    assert "5433" in double.read
    assert "1111" in double.read
    assert "9999" not in double.read


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The feature `forked subagents` is in beta")
async def test_a_fork_has_the_memory_of_the_agent_that_it_continues_unless_it_is_given_its_own(served: Served) -> None:
    await served.world.write("A", "The staging database uses port 5433.")
    await served.world.write("B", "The staging database uses port 9999.")
    fork = {"name": "f", "description": "first", "system_prompt": "s", "mode": "fork"}
    for access, port in (({}, "5433"), ({"f": served.key("B")}, "9999")):
        main, f = model(delegates("f"), AIMessage("done")), model()
        agent = create_deep_agent(
            main,
            middleware=[WhoKnowsMemory(url=served.url, key=served.key("A"))],
            subagents=with_memory([{**fork, "model": f}], access, url=served.url),
        )
        await agent.ainvoke({"messages": [HumanMessage("Which port does the staging database use?")]})
        assert "5433" in main.read
        assert port in f.read
        assert ({"5433", "9999"} - {port}).pop() not in f.read


async def test_what_is_known_stands_behind_the_question_and_is_no_part_of_the_conversation(served: Served) -> None:
    await served.world.write("A", "预发环境数据库端口是 5433")
    call = {"name": "recall", "type": "tool_call", "id": "r", "args": {"query": "预发 数据库 端口"}}
    first = AIMessage("", tool_calls=[call])
    double = model(first, AIMessage("5433"), AIMessage("好的"))
    agent = create_deep_agent(double, middleware=[WhoKnowsMemory(url=served.url, key=served.key("A"))])
    state = await agent.ainvoke({"messages": [HumanMessage("预发环境数据库端口是多少？")]})
    asked, again = double.sent
    assert asked[-1].text.startswith("预发环境数据库端口是多少？\n\n<whoknows-memory")
    assert [m.text for m in again[: len(asked)]] == [m.text for m in asked]  # the prefix that a provider caches
    assert "5433" in again[-1].text  # the tool's answer
    assert "whoknows-memory" not in "".join(m.text for m in state["messages"] if m.type != "tool")
    assert "whoknows_memory" not in state
    await agent.ainvoke({"messages": [*state["messages"], HumanMessage("今天天气如何？")]})
    assert "whoknows-memory" not in "".join(m.text for m in double.sent[-1] if m.type == "human")


def test_an_agent_goes_on_without_memory_and_the_log_says_so(caplog: pytest.LogCaptureFixture) -> None:
    double = model()
    memory = WhoKnowsMemory(url="http://127.0.0.1:9", key="wk_" + "x" * 40, project_id="p")
    agent = create_deep_agent(double, middleware=[memory])
    with caplog.at_level(logging.WARNING, logger="whoknows"):
        state = agent.invoke({"messages": [HumanMessage("Which port does the staging database use?")]})
        memory.flush()
    assert state["messages"][-1].text == "好的。"
    assert len([r for r in caplog.records if "going on without it" in r.message]) == 1


async def test_the_last_exchange_is_heard_after_the_run_and_nothing_else_of_the_conversation(served: Served) -> None:
    await served.world.members("ana")
    await served.world.agents("claude", account="ana")
    double = model(AIMessage("Noted."))
    with WhoKnowsMemory(url=served.url, key=served.key("claude"), project_id="boss") as memory:
        agent = create_deep_agent(double, middleware=[memory])
        said = [HumanMessage("I prefer tea over coffee."), AIMessage("Fine."), HumanMessage("请记住：我们决定周五下午发布。")]
        await agent.ainvoke({"messages": said})
        assert await asyncio.to_thread(memory.flush) == 0
    async with served.client("claude") as wk:
        kept = [m["content"] for m in (await wk.list())["items"]]
    assert any("周五下午发布" in text for text in kept)
    assert not any("tea" in text for text in kept)


async def test_what_an_agent_asks_its_sub_agent_is_not_heard_as_the_word_of_a_person(served: Served) -> None:
    await served.world.members("ana")
    await served.world.agents("claude", account="ana")
    args = {"description": "Please remember: we decided to release on Sunday night.", "subagent_type": "own"}
    call = {"name": "task", "type": "tool_call", "id": "t", "args": args}
    with WhoKnowsMemory(url=served.url, key=served.key("claude"), project_id="boss") as memory:
        own = {"name": "own", "description": "d", "system_prompt": "s", "model": model(), "middleware": [memory]}
        agent = create_deep_agent(
            model(AIMessage("", tool_calls=[call]), AIMessage("ok")), middleware=[memory], subagents=[own]
        )
        await agent.ainvoke({"messages": [HumanMessage("Please remember: we decided to release on Friday afternoon.")]})
        await asyncio.to_thread(memory.flush)
    async with served.client("claude") as wk:
        kept = " ".join(m["content"] for m in (await wk.list())["items"])
    assert "Friday" in kept
    assert "Sunday" not in kept


async def test_what_the_agent_remembers_goes_through_the_gate(served: Served) -> None:
    fact = "Releases are on Fridays."
    for content, expected in ((fact, "Remembered."), (fact, "It was known already."), (" ", "Not remembered: ")):
        call = {"name": "remember", "type": "tool_call", "id": "m", "args": {"content": content}}
        double = model(AIMessage("", tool_calls=[call]), AIMessage("ok"))
        agent = create_deep_agent(double, middleware=[WhoKnowsMemory(url=served.url, key=served.key("A"))])
        await agent.ainvoke({"messages": [HumanMessage("Remember that.")]})
        assert double.sent[-1][-1].text.startswith(expected)
    assert await served.world.recalled("A", "releases fridays") == ["Releases are on Fridays."]


def test_a_name_that_is_nobodys_and_an_access_that_is_nobodys_are_refused() -> None:
    with pytest.raises(ValueError, match="none of the sub-agents"):
        with_memory([], {"ghost": "wk_" + "x" * 40})
    with pytest.raises(ValueError, match="as the agent above"):
        Access()
    with pytest.raises(ValueError, match="made elsewhere"):
        with_memory([{"name": "x", "description": "", "runnable": object()}], {"x": "wk_" + "x" * 40})
