"""One gate (rules W5), and no secret behind it (W6): by whatever tool and in whatever field a text comes.

A new tool, and a new field that takes a text, fail here until somebody has said what becomes of it.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import made_up
from acceptance.remains import dumped
from whoknows.domain.principal import AgentRole, GateLevel
from whoknows.mcp.tools import TOOLS
from worlds import World

from .conftest import Tools

pytestmark = pytest.mark.asyncio(loop_scope="session")
Way = Callable[[Tools, str], Awaitable[Any]]
"""Tries to bring a text that says a word into the team's bank, or into that of the account."""


async def _to_team(tools: Tools, word: str) -> None:
    await tools("A", "remember", content=f"it is {word}", keep_for="team", team_id="T")


async def _to_person(tools: Tools, word: str) -> None:
    await tools("boss", "remember", content=f"it is {word}", source="manual", quote=f"it is {word}")


async def _published(tools: Tools, word: str) -> None:
    mine = await tools("A", "remember", content=f"my own {word}")
    await tools("A", "publish", memory_id=mine.told["memory_id"], team_id="T")


WAYS: dict[str, tuple[Way, ...]] = {"remember": (_to_team, _to_person), "publish": (_published,)}
"""They take any text where the gate is open, and none without evidence where it is `verified`."""
ALWAYS = {"propose_fact": "no text without a quote that was found, whatever the gate"}
INJECTED = {"inject_context": "redaction only (W5): what is given goes into nobody's bank"}
NO_TEXT = {"recall", "get", "list", "why", "forget"}


async def test_every_tool_is_known_for_what_it_writes() -> None:
    assert sorted([*WAYS, *ALWAYS, *INJECTED, *NO_TEXT]) == sorted(TOOLS)


async def test_every_tool_that_writes_passes_the_gate(world: World, tools: Tools) -> None:
    await world.members("mira")
    await world.agents("A")
    await world.agents("boss", account="mira")
    await world.team("T", A="writer")
    for level in (GateLevel.OPEN, GateLevel.VERIFIED):
        admin = await world.admin()
        await world.service.administer.change_team(admin, "T", None, level, None)
        await world.service.administer.change_member(admin, "mira", frozenset({"gate"}), None, level)
        for name, ways in WAYS.items():
            for n, way in enumerate(ways):
                word = f"zx{name}{n}{level}qk"
                await way(tools, word)
                assert bool(banked(world, word)) == (level is GateLevel.OPEN), f"{name} {n} through a gate that is {level}"
        for context in ("personal", "team"):
            fact = {"source": "url:https://example.org/x", "quote": "it is so, and so on", "context": context, "team_id": "T"}
            unproven = await tools("boss", "propose_fact", text="zxproposedqk", **fact)
            assert unproven.fault["code"] in ("quote_not_found", "refused_by_gate", "invalid", "not_found")
    assert banked(world, "zxproposedqk") == []


def banked(world: World, word: str) -> list[tuple[str]]:
    """The states of all that says ``word`` in one of the two banks, seen by whom no policy binds."""
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        return connection.execute(
            "SELECT m.state FROM memories m JOIN audiences a USING (audience_id) "
            "JOIN principals p ON p.principal_id = a.owner_id "
            "WHERE (p.kind, p.name) IN (('team', 'T'), ('member', 'mira')) AND m.content LIKE %s",
            (f"%{word}%",),
        ).fetchall()


PLACEHOLDER = {"query", "content", "title", "tags[]", "subject", "reason", "source", "text", "task"}
"""The text is kept with a placeholder, or answered by what stands without it."""
REFUSED = {"quote", "project_id"}
"""With a placeholder it would be another: refused, or it finds nothing."""
NAMES_SOMETHING = {
    "directory", "team_id", "agent_id", "task_id", "session_id", "memory_id", "memory_ids[]", "supersedes", "cursor", "reader",
    "expires_at",
}  # fmt: skip
"""It must be there, or has a form of its own: nothing of it is kept."""
SOURCED = {"propose_fact source": REFUSED, "recall tags[]": NAMES_SOMETHING, "list tags[]": NAMES_SOMETHING}


def fields() -> Iterator[tuple[str, str]]:
    """Every argument of every tool that takes a text."""
    for name, tool in TOOLS.items():
        for field, schema in tool.listed.input_schema["properties"].items():
            inner, place = (schema["items"], f"{field}[]") if schema["type"] == "array" else (schema, field)
            if inner["type"] == "string" and "enum" not in inner:
                yield name, place


async def test_every_argument_that_takes_a_text_is_classified() -> None:
    assert {place for _, place in fields()} == PLACEHOLDER | REFUSED | NAMES_SOMETHING


async def test_a_secret_in_any_argument_is_nowhere_afterwards(
    world: World, tools: Tools, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    await world.agents("A")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    note = await world.write("A", "The log says: the port is 5433.")
    least: dict[str, dict[str, Any]] = {
        "recall": {"query": "port"},
        "list": {},
        "get": {"memory_id": str(note.id)},
        "why": {"memory_id": str(note.id)},
        "remember": {"content": "x", "source": "manual"},
        "propose_fact": {"text": "x", "source": f"memory:{note.id}", "quote": "the port is 5433"},
        "publish": {"memory_id": str(note.id), "team_id": "*"},
        "inject_context": {"agent_id": "S", "task": "x"},
        "forget": {"memory_id": str(note.id), "version": 9},
    }
    secrets: dict[str, str] = {}
    for tool, place in fields():
        secret = made_up.password()
        secrets[secret] = f"{tool} {place}"
        text = f"端口 5433，密码：{secret}"
        value: Any = [text] if place.endswith("[]") else text
        told = await tools("A", tool, {"X-Machine": "m"}, **least[tool] | {place.removesuffix("[]"): value})
        kind = SOURCED.get(f"{tool} {place}", PLACEHOLDER if place in PLACEHOLDER else REFUSED)
        if kind is PLACEHOLDER:
            assert not told.result.is_error, (tool, place, told.text)
            assert secret not in told.result.model_dump_json(), (tool, place)
        elif not told.result.is_error:  # a filter that fits nothing
            assert tool in ("recall", "list", "inject_context"), (tool, place)
            assert secret not in told.result.model_dump_json(), (tool, place)
    shown = {
        "the dump": await dumped(world.installation.dsn, tmp_path),
        "the log": "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith("httpx")),
    }
    assert "端口 5433，密码：[secret:credential]" in shown["the dump"]
    assert [(where, place) for where, text in shown.items() for secret, place in secrets.items() if secret in text] == []
