"""`whoknows mcp` as a program starts it: the same tools over standard input and output, and no end when the server is away."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from acceptance.cli.conftest import environment, whoknows_here
from acceptance.rest.conftest import until
from whoknows.mcp.described import described
from whoknows.mcp.instructions import INSTRUCTIONS
from whoknows.mcp.stdio import Remote
from worlds import World

from .conftest import Called, Tools

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


@asynccontextmanager
async def remote(url: str, key: str) -> AsyncIterator[Client]:
    """What `whoknows mcp` runs, within this process."""
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}) as http:
        handed_on = Remote(http)
        async with Client(described("test", handed_on.list_tools, handed_on.call_tool)) as client:
            yield client


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


async def test_a_program_has_its_tools_before_during_and_after_a_server(world: World, tools: Tools, tmp_path: Path) -> None:
    await world.agents("A", "B")
    port = free_port()
    env = environment(tmp_path, WHOKNOWS_URL=f"http://127.0.0.1:{port}", WHOKNOWS_KEY=await world.key("A", "B"))
    command = [sys.executable, "-c", "from whoknows.cli.main import main; main()", "mcp", "--agent", "A"]
    with (tmp_path / "stderr").open("w") as errors:
        started = StdioServerParameters(command=command[0], args=command[1:], env=env)
        async with Client(stdio_client(started, errors)) as client:
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
            assert Called(await client.call_tool("recall", {"query": "the port"})).code == "server_unreachable"
    assert (tmp_path / "stderr").read_text() == ""
    assert (await tools("B", "list")).told["memories"] == []


async def test_a_key_that_is_wrong_is_told_by_the_tool_and_one_that_is_missing_at_the_start(
    world: World, tools: Tools, tmp_path: Path
) -> None:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    missing = whoknows_here(environment(tmp_path, WHOKNOWS_URL=url), "mcp", "--json")
    assert missing.returncode == 5
    assert missing.stdout == ""
    assert "no_key" in missing.stderr
    async with up(tools.app, port), remote(url, "wk_" + "x" * 40) as client:
        told = Called(await client.call_tool("recall", {"query": "x"}))
        assert told.code == "unauthenticated"
        assert len((await client.list_tools()).tools) == 9


async def test_what_is_no_server_of_whoknows_is_told_as_that(tmp_path: Path) -> None:
    strange = FastAPI()
    port = free_port()

    @strange.post("/mcp")
    async def _anything() -> list[str]:
        return ["hello"]

    async with up(strange, port), remote(f"http://127.0.0.1:{port}", "wk_" + "x" * 40) as client:
        told = Called(await client.call_tool("recall", {"query": "x"}))
        assert told.result.is_error
        assert len((await client.list_tools()).tools) == 9
