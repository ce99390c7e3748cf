"""Every tool is classified here: a new one fails this test until somebody has thought about who may call it."""

import json
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import uuid4

import pytest

from whoknows.domain.credential import Permission
from whoknows.domain.memory import Draft
from whoknows.domain.principal import AgentRole
from whoknows.mcp.instructions import INSTRUCTIONS
from whoknows.mcp.tools import TOOLS
from worlds import World

from .conftest import NEW, OLD, OLD_HEADERS, Tools, call

pytestmark = pytest.mark.asyncio(loop_scope="session")
ID = str(uuid4())
SECRET = "发布口令是蓝鲸计划"


class Kind(NamedTuple):
    """``does``: reads or writes. ``destroys``: whether a program should ask a person before. ``arguments``: the least it takes.

    ``by_id``: it names one memory, and tells of one that the caller may not see what it tells of one that is not there.
    """

    does: str
    arguments: dict[str, Any]
    by_id: bool = False
    destroys: bool = False


KINDS = {
    "recall": Kind("reads", {"query": "发布口令 release password", "min_score": 0.0}),
    "remember": Kind("writes", {"content": "x"}),
    "get": Kind("reads", {"memory_id": ID}, by_id=True),
    "list": Kind("reads", {}),
    "publish": Kind("writes", {"memory_id": ID, "team_id": "*"}, by_id=True),
    "inject_context": Kind("writes", {"agent_id": "S", "task": "发布口令"}),
    "why": Kind("reads", {"memory_id": ID}, by_id=True),
    "propose_fact": Kind("writes", {"text": "x", "source": f"memory:{ID}", "quote": "some words of it"}),
    "forget": Kind("writes", {"memory_id": ID}, by_id=True, destroys=True),
}
OF_A_PROJECT = {"recall", "remember", "list", "propose_fact"}
"""They take a directory, or a project."""


def arguments(tool: str, memory: str | None = None) -> dict[str, Any]:
    kind = KINDS[tool]
    return kind.arguments | ({"memory_id": memory} if memory and kind.by_id else {})


async def test_every_tool_is_classified_and_listed_always_in_the_same_words(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    listings: list[str] = []
    for who, mode in (("A", NEW), ("B", NEW), ("B", OLD)):
        async with tools.client(who, mode) as client:
            listed = (await client.list_tools()).tools
            assert client.protocol_version == ("2026-07-28" if mode == NEW else "2025-11-25")
            assert client.instructions == INSTRUCTIONS
            assert client.server_info.name == "whoknows"
        listings.append(json.dumps([t.model_dump(mode="json", by_alias=True) for t in listed]))
    assert [t.name for t in listed] == list(KINDS)
    assert listings[0] == listings[1], "prompts that hold the list could not be cached"
    assert json.loads(listings[0]) == json.loads(listings[2])


async def test_every_tool_tells_a_program_what_it_does() -> None:
    """Codex runs what reads and what adds by itself, and asks before it destroys; Claude Code shows the main two at once."""
    for name, tool in TOOLS.items():
        hints = tool.listed.annotations
        assert hints is not None
        assert hints.open_world_hint is False, name
        assert hints.read_only_hint == (KINDS[name].does == "reads"), name
        assert hints.destructive_hint == KINDS[name].destroys, name
        assert (tool.listed.meta == {"anthropic/alwaysLoad": True}) == (name in ("recall", "remember")), name
        assert 50 < len(tool.description) < 600, name
    assert len(INSTRUCTIONS) <= 1500


@pytest.mark.parametrize("name", KINDS)
async def test_every_schema_is_flat_described_and_bounded(name: str) -> None:
    """Whatever a client can make of JSON Schema, it can make something of these."""
    listed = TOOLS[name].listed
    for schema in (listed.input_schema, listed.output_schema):
        assert schema is not None
        assert schema["type"] == "object"
        assert schema["additionalProperties"] is False
        text = json.dumps(schema)
        for word in ("$ref", "$defs", "anyOf", "null"):
            assert word not in text, word
    for path, part in leaves(listed.input_schema):
        assert part.get("description") or path.endswith("[]"), path
        if part["type"] == "string":
            bounded = {"maxLength", "enum", "format"} & set(part)
            # Texts of memories are bounded by the installation, in bytes; a cursor and a time by their forms.
            assert bounded or path in ("query", "content", "text", "quote", "task", "cursor", "expires_at"), path
        if part["type"] in ("integer", "number"):
            assert "maximum" in part, path
        if part["type"] == "array":
            assert part["maxItems"] <= 200, path


def leaves(schema: dict[str, Any], at: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    for name, part in schema.get("properties", {}).items():
        yield f"{at}{name}", part
        yield from leaves(part, f"{at}{name}.")
        if part.get("type") == "array":
            yield f"{at}{name}[]", part["items"]


async def test_every_tool_needs_a_key(world: World, tools: Tools) -> None:
    async with tools.http(None) as http:
        for key in (None, "wk_wrong"):
            headers = OLD_HEADERS if key is None else OLD_HEADERS | {"Authorization": f"Bearer {key}"}
            for name in KINDS:
                refused = await http.post("/mcp", json=call(name, arguments(name)), headers=headers)
                assert refused.status_code == 401
                assert refused.json()["code"] == "unauthenticated"
                assert refused.headers["www-authenticate"].startswith("Bearer")


async def test_every_tool_refuses_a_key_that_acts_as_nobody_and_asks_one_for_several_whom(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    memory = str((await world.write("A", SECRET)).id)
    several = await world.key("A", "B")
    for name, kind in KINDS.items():
        assert (await tools(world.installation.new_key, name, **arguments(name, memory))).code == "permission_missing", name
        asked = await tools(several, name, **arguments(name, memory))
        assert asked.code == "agent_required", name
        assert "X-Agent" in asked.text
        assert (await tools(several, name, {"X-Agent": "C"}, **arguments(name, memory))).code == "not_your_agent", name
        if kind.does == "reads":
            assert memory in (await tools(several, name, {"X-Agent": "A"}, **arguments(name, memory))).result.model_dump_json()


async def test_no_tool_tells_a_stranger_of_a_private_memory(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.agents("S", role=AgentRole.SUB, parent="B")
    memory = str((await world.write("A", SECRET)).id)
    for name, kind in KINDS.items():
        told = await tools("B", name, **arguments(name, memory))
        assert "蓝鲸" not in told.result.model_dump_json(), name
        if kind.by_id:
            assert told.code == "not_found", name
            # A memory that is absent: the same words.
            assert (await tools("B", name, **arguments(name, str(uuid4())))).text == told.text, name
        else:
            assert memory not in told.result.model_dump_json(), name
    assert (await tools("A", "list")).contents == [SECRET], "and it is there"


async def test_with_the_eyes_of_another_one_reads_and_never_writes(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    memory = str((await world.write("A", SECRET)).id)
    inspector = await world.key("B", permissions=(Permission.INSPECT,))
    auditor = await world.service.authenticate(await world.key("B", permissions=(Permission.AUDIT,)))
    for name, kind in KINDS.items():
        seen = await tools(inspector, name, {"X-Seen-As": "agent:A"}, **arguments(name, memory))
        assert (await tools("B", name, {"X-Seen-As": "agent:A"}, **arguments(name, memory))).fault["status"] == 403, name
        if kind.does == "writes":
            assert seen.code == "seen_as_reads_only", name
        else:
            assert memory in seen.result.model_dump_json(), name
            newest = (await world.service.oversee.audit(auditor, 1, None)).items[0]
            assert f"MCP {name}" in str((newest.action, newest.target, newest.detail)), newest
    assert (await tools("A", "list")).contents == [SECRET]


async def test_a_task_s_token_does_what_its_agent_may_and_ends_with_the_task(world: World, tools: Tools) -> None:
    await world.agents("A")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    opened = await world.service.tasks.open(await world.caller("A"), "t1", ["S"], None)
    token = opened.tokens["S"]
    mine = str((await world.service.capture(await world.caller("S", token), Draft("a note of S"))).memory.id)
    refused = {"inject_context": "not_a_main_agent", "publish": "not_a_writer", "propose_fact": "quote_not_found"}
    for name in KINDS:  # forget comes last
        asked = await tools(token, name, **arguments(name, mine))
        assert (asked.code if asked.result.is_error else None) == refused.get(name), name
    await world.service.tasks.close(await world.caller("A"), "t1")
    async with tools.http(token) as http:
        for name in KINDS:
            assert (await http.post("/mcp", json=call(name, arguments(name, mine)), headers=OLD_HEADERS)).status_code == 401


async def test_what_takes_a_project_takes_a_directory_and_nothing_else_does() -> None:
    for name, tool in TOOLS.items():
        taken = {"directory", "project_id"} & set(tool.listed.input_schema["properties"])
        assert ("directory" in taken) == (name in OF_A_PROJECT), name
