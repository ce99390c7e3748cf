"""The tools over standard input and output, as a program starts them: the same ones, and no end when the server is away."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import Tool

from acceptance.cli.conftest import environment, whoknows_here
from acceptance.rest.conftest import until
from hooks.started import connected, installed
from whoknows.mcp.instructions import INSTRUCTIONS
from worlds import World

from .conftest import NEW, OLD, Called, Tools

pytestmark = pytest.mark.asyncio(loop_scope="session")


@asynccontextmanager
async def up(app: FastAPI, port: int) -> AsyncIterator[None]:
    """``app`` on this port of loopback."""
    config = uvicorn.Config(app, port=port, lifespan="off", log_level="warning", timeout_graceful_shutdown=1, ws="none")
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # the test's process keeps its own
    task = asyncio.create_task(server.serve())

    async def started() -> bool:
        return server.started

    await until(started)
    try:
        yield
    finally:
        server.should_exit = True
        await task


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.mark.parametrize(("started", "era"), [("as connected", NEW), ("by hand", OLD)])
async def test_a_program_has_its_tools_before_during_and_after_a_server(
    world: World, tools: Tools, tmp_path: Path, started: str, era: str
) -> None:
    await world.agents("A", "B")
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    env = environment(tmp_path, WHOKNOWS_URL=url, WHOKNOWS_KEY=await world.key("A", "B"))
    with (tmp_path / "stderr").open("w") as errors:
        async with Client(stdio_client(_command(started, url, tmp_path, env), errors), mode=era) as client:
            assert client.instructions == INSTRUCTIONS
            before = [t.model_dump() for t in (await client.list_tools()).tools]
            away = Called(await client.call_tool("recall", {"query": "the port"}))
            assert away.code == "server_unreachable"
            assert "Go on without memory" in away.text
            async with up(tools.app, port):
                kept = Called(await client.call_tool("remember", {"content": "The port is 5433. 端口"})).told
                assert kept["visible_to"] == ["agent:A"]
                told = Called(await client.call_tool("recall", {"query": "the port"}))
                assert told.contents == ["The port is 5433. 端口"]
                wrong = Called(await client.call_tool("recall", {"query": ""}))
                assert (wrong.code, wrong.fault["field"]) == ("invalid", "query")
                assert [t.model_dump() for t in (await client.list_tools()).tools] == before
                assert before == [t.model_dump() for t in await _listed(tools)]
            assert Called(await client.call_tool("recall", {"query": "the port"})).code == "server_unreachable"
    assert (tmp_path / "stderr").read_text() == ""
    assert (await tools("B", "list")).told["memories"] == []


async def test_a_key_that_is_missing_is_told_at_the_start(tmp_path: Path) -> None:
    missing = whoknows_here(environment(tmp_path, WHOKNOWS_URL=f"http://127.0.0.1:{free_port()}"), "mcp", "--json")
    assert missing.returncode == 5
    assert missing.stdout == ""
    assert "no_key" in missing.stderr


def _command(started: str, url: str, folder: Path, env: dict[str, str]) -> StdioServerParameters:
    if started == "by hand":
        code = "from whoknows.cli.main import main; main()"
        return StdioServerParameters(command=sys.executable, args=["-c", code, "mcp", "--agent", "A"], env=env)
    launcher = installed(folder / "share")
    connected(launcher, url)
    return StdioServerParameters(command=str(launcher), args=["mcp", "codex", "--agent", "A"], env=env)


async def _listed(tools: Tools) -> list[Tool]:
    async with tools.client("A") as client:
        return (await client.list_tools()).tools
