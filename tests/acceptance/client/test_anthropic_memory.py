"""Anthropic's memory tool over memories: word for word as the reference in the package does it, on files."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from anthropic import Anthropic
from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaLocalFilesystemMemoryTool

from model_double import ModelDouble, Scene
from whoknows.integrations.anthropic import AsyncWhoKnowsMemoryTool, WhoKnowsMemoryTool

from .conftest import Served

A, B = "/memories/notes/a.md", "/memories/b.txt"
SCRIPT: list[dict[str, Any]] = [
    {"command": "create", "path": A, "file_text": "first\nsecond\nthird\nsecond\n"},
    {"command": "create", "path": A, "file_text": "again"},
    {"command": "create", "path": B, "file_text": "咖啡要热的\n茶要冷的"},
    {"command": "view", "path": A},
    {"command": "view", "path": A, "view_range": [2, 3]},
    {"command": "view", "path": A, "view_range": [3, -1]},
    {"command": "view", "path": "/memories/none.md"},
    {"command": "str_replace", "path": A, "old_str": "first", "new_str": "1st\nand more"},
    {"command": "str_replace", "path": A, "old_str": "second", "new_str": "x"},
    {"command": "str_replace", "path": A, "old_str": "absent", "new_str": "x"},
    {"command": "str_replace", "path": "/memories/none.md", "old_str": "a", "new_str": "b"},
    {"command": "str_replace", "path": "/memories/notes", "old_str": "a", "new_str": "b"},
    {"command": "insert", "path": B, "insert_line": 1, "insert_text": "水不要\n"},
    {"command": "insert", "path": B, "insert_line": 0, "insert_text": "top"},
    {"command": "insert", "path": B, "insert_line": 4, "insert_text": "end"},
    {"command": "insert", "path": B, "insert_line": 99, "insert_text": "x"},
    {"command": "insert", "path": "/memories/none.md", "insert_line": 0, "insert_text": "x"},
    {"command": "view", "path": B},
    {"command": "rename", "old_path": A, "new_path": B},
    {"command": "rename", "old_path": "/memories/none.md", "new_path": "/memories/c.md"},
    {"command": "rename", "old_path": A, "new_path": "/memories/deep/er/a.md"},
    {"command": "view", "path": "/memories/deep/er/a.md"},
    {"command": "view", "path": A},
    {"command": "rename", "old_path": "/memories/deep", "new_path": "/memories/far"},
    {"command": "view", "path": "/memories/far/er/a.md"},
    {"command": "rename", "old_path": "/memories", "new_path": "/memories/x"},
    {"command": "delete", "path": "/memories"},
    {"command": "delete", "path": "/memories/none.md"},
    {"command": "delete", "path": B},
    {"command": "delete", "path": "/memories/far"},
    {"command": "view", "path": "/memories/far/er/a.md"},
    {"command": "view", "path": "/etc/passwd"},
    {"command": "create", "path": "/memories/../etc/passwd", "file_text": "x"},
    {"command": "view", "path": "/memories/../../etc/passwd"},
]


def answer(tool: Any, command: dict[str, Any]) -> str:
    try:
        return str(tool.call(command))
    except ToolError as e:
        return f"error: {e}"


async def test_every_command_answers_as_the_reference_does(served: Served, tmp_path: Path) -> None:
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path))
    expected = [answer(reference, c) for c in SCRIPT]
    with WhoKnowsMemoryTool(url=served.url, key=served.key("A")) as tool:
        assert await asyncio.to_thread(lambda: [answer(tool, c) for c in SCRIPT]) == expected


@pytest.mark.slow
async def test_the_awaited_tool_answers_the_same(served: Served, tmp_path: Path) -> None:
    reference = BetaLocalFilesystemMemoryTool(str(tmp_path))
    tool = AsyncWhoKnowsMemoryTool(url=served.url, key=served.key("A"))
    for command in SCRIPT:
        said = answer(reference, command)
        try:
            assert await tool.call(command) == said
        except ToolError as e:
            assert f"error: {e}" == said  # noqa: PT017
    await tool.close()


async def test_the_folder_is_shown_two_levels_deep_with_what_the_key_may_know(served: Served) -> None:
    await served.world.write("A", "port 5433", team_id="T", title="Staging port")
    await served.world.write("A", "only for A")
    with WhoKnowsMemoryTool(url=served.url, key=served.key("B")) as tool:
        await asyncio.to_thread(tool.call, {"command": "create", "path": "/memories/x/y/z.md", "file_text": "mine"})
        shown = str(await asyncio.to_thread(tool.call, {"command": "view", "path": "/memories"}))
        deeper = str(await asyncio.to_thread(tool.call, {"command": "view", "path": "/memories/general/fact"}))
    head, *lines = shown.split("\n")
    assert head == "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:"
    assert [line.split("\t")[1] for line in lines] == [
        "/memories",
        *(f"/memories/{p}" for p in ("general/", "general/fact/", "x/", "x/y/")),
    ]
    assert "staging-port-" in deeper
    assert "only-for-a" not in deeper


def says(*content: dict[str, Any], stop: str = "end_turn") -> Scene:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "double", "content": list(content), "usage": usage}
    return lambda stage: stage.whole({**message, "stop_reason": stop, "stop_sequence": None})


def uses(n: int, **command: str) -> Scene:
    return says({"type": "tool_use", "id": f"t{n}", "name": "memory", "input": command}, stop="tool_use")


async def test_a_model_writes_in_one_conversation_what_it_reads_in_the_next(served: Served) -> None:
    path = "/memories/preferences.md"
    with ModelDouble() as double, WhoKnowsMemoryTool(url=served.url, key=served.key("A")) as tool:
        client = Anthropic(api_key="none", base_url=double.url.removesuffix("/v1"))
        run: Callable[[str], Any] = lambda words: client.beta.messages.tool_runner(  # noqa: E731
            model="double", max_tokens=100, messages=[{"role": "user", "content": words}], tools=[tool]
        ).until_done()
        double.plays(uses(1, command="create", path=path, file_text="Tea, no sugar."), says({"type": "text", "text": "ok"}))
        await asyncio.to_thread(run, "I drink tea without sugar")
        double.plays(uses(2, command="view", path=path), uses(3, command="view", path="/memories/no.md"), says())
        await asyncio.to_thread(run, "What do I drink?")
    sent = [m["content"] for r in double.requests for m in r.body["messages"][-1:] if isinstance(m["content"], list)]
    results = [content[0] for content in sent]
    assert "Tea, no sugar." in str(results[1]["content"])
    assert results[2]["is_error"] is True
    assert double.requests[0].body["tools"] == [{"type": "memory_20250818", "name": "memory"}]
    assert await served.world.recalled("A", "tea sugar") == ["Tea, no sugar."]


def test_a_server_that_is_away_is_told_to_the_model_as_an_error(caplog: pytest.LogCaptureFixture) -> None:
    with WhoKnowsMemoryTool(url="http://127.0.0.1:9", key="wk_" + "x" * 40) as tool:
        said = answer(tool, {"command": "view", "path": "/memories"})
    assert said == "error: memory is not reachable at the moment (server_unreachable): go on without it"
    assert len(caplog.records) == 1
