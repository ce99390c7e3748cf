"""The MCP endpoint over a world of its own: the official client through ASGI, in both eras of the protocol."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, cast
from uuid import uuid4

import httpx2
import jsonschema
import pytest
import pytest_asyncio
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from acceptance.rest.conftest import BODY_BYTES, URL
from acceptance.rest.shared import founded, world
from postgres.databases import fresh, serve
from whoknows.mcp.app import add_mcp
from whoknows.mcp.tools import TOOLS
from whoknows.rest.app import create_app
from worlds import World

__all__ = ["world"]
NEW, OLD = "auto", "legacy"
"""Claude Code's way, which has no handshake, and that of Pi and Codex, which begins with one."""
OLD_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}


def call(tool: str, arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@dataclass
class Tools:
    """``await tools("A", "recall", query="…")`` calls a tool as A; ``tools.client("A")`` is the official client's session."""

    world: World
    app: FastAPI
    url: str = URL

    def http(self, who: str | None, **headers: str | bytes) -> httpx2.AsyncClient:
        key = {} if who is None else {"Authorization": f"Bearer {self.world.keys.get(who, who)}"}
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        transport = httpx2.ASGITransport(self.app, raise_app_exceptions=False) if self.url == URL else None
        return httpx2.AsyncClient(transport=transport, base_url=self.url, headers=cast(Any, {**key, **named}), timeout=30)

    @asynccontextmanager
    async def client(self, who: str | None, mode: str = NEW, **headers: str | bytes) -> AsyncIterator[Client]:
        async with self.http(who, **headers) as http, Client(self._transport(http), mode=mode) as client:
            yield client

    async def __call__(self, who: str | None, tool: str, headers: Mapping[str, str | bytes] = {}, **arguments: Any) -> "Called":
        """As Codex speaks: one request, without a session. What it answers is held against the schema that the tool names."""
        async with self.http(who, **headers) as http:
            response = await http.post("/mcp", json=call(tool, arguments), headers=OLD_HEADERS)
        assert response.status_code == 200, response.text
        result = CallToolResult.model_validate(response.json()["result"])
        if not result.is_error:
            schema = TOOLS[tool].listed.output_schema
            assert schema is not None
            jsonschema.validate(result.structured_content, schema, format_checker=jsonschema.FormatChecker())
        return Called(result)

    def _transport(self, http: httpx2.AsyncClient) -> Any:
        return streamable_http_client(f"{self.url}/mcp", http_client=http)


@dataclass
class Called:
    """What became of a call. ``told`` is the structured answer of one that did what was asked."""

    result: CallToolResult

    @property
    def told(self) -> dict[str, Any]:
        assert not self.result.is_error, self.text
        return self.result.structured_content

    @property
    def text(self) -> str:
        (only,) = self.result.content
        assert isinstance(only, TextContent)
        return only.text

    @property
    def fault(self) -> dict[str, Any]:
        """The error of a call that failed, as programs read it."""
        assert self.result.is_error, self.text
        assert self.result.structured_content is None
        assert self.result.meta is not None
        told = self.result.meta["whoknows/error"]
        assert self.text.startswith(told["code"])
        return told

    @property
    def code(self) -> str:
        return self.fault["code"]

    @property
    def contents(self) -> list[str]:
        return [m["content"] for m in self.told["memories"]]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def founder(server: str) -> AsyncIterator[World]:
    """One service for all that calls tools, each test in a tenant of its own."""
    with fresh(server, f"tools_{uuid4().hex[:12]}") as installation:
        service = await serve(installation)
        yield World(service, installation)
        await service.close()


@pytest.fixture
def tools(world: World) -> Tools:
    return Tools(world, app_of(world))


def app_of(world: World, patience: float = 60) -> FastAPI:
    """One that turns nobody away, however busy the machine of the tests is."""
    app = create_app(world.service, body_bytes=BODY_BYTES, version="test")
    add_mcp(app, world.service, "test", patience=patience)
    return app


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def only(founder: World) -> tuple[World, Tools]:
    """A world that a file's small tests share: A, who knows nothing."""
    world = await founded(founder)
    await world.agents("A")
    return world, Tools(world, app_of(world))
