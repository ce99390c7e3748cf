"""The REST edge over a world: through ASGI for most, and a real server on loopback where the wire matters."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from whoknows.rest.app import create_app
from worlds import World

BODY_BYTES = 512 * 1024
"""Small, so that a body over the limit is small too."""
URL = "http://127.0.0.1"


@dataclass
class Edge:
    """``edge.as_("A")`` is a client with A's key; ``edge.as_(None)`` has none; ``edge.admin`` is the administrator."""

    world: World
    app: FastAPI
    transport: httpx.AsyncBaseTransport
    url: str = URL

    def as_(self, who: str | None, **headers: str) -> httpx.AsyncClient:
        key = {} if who is None else {"Authorization": f"Bearer {self.world.keys.get(who, who)}"}
        return self.client(**key, **{k.replace("_", "-"): v for k, v in headers.items()})

    def client(self, **headers: str | bytes) -> httpx.AsyncClient:
        base = f"{self.url}/api/v1"
        return httpx.AsyncClient(transport=self.transport, base_url=base, headers=headers, timeout=30)

    @property
    def admin(self) -> httpx.AsyncClient:
        return self.as_(self.world.installation.new_key)


@pytest.fixture
def edge(world: World) -> Edge:
    # The world has opened the service already, so the application's own life is not begun.
    app = create_app(world.service, body_bytes=BODY_BYTES, version="test")
    return Edge(world, app, httpx.ASGITransport(app, raise_app_exceptions=False))


@pytest.fixture
async def wire(edge: Edge) -> AsyncIterator[Edge]:
    """The same edge behind a real server on loopback."""
    async with serving(edge.app) as url, httpx.AsyncHTTPTransport() as transport:
        yield Edge(edge.world, edge.app, transport, url)


@asynccontextmanager
async def serving(app: FastAPI, lifespan: str = "off") -> AsyncIterator[str]:
    """``app`` on a free port of loopback; the address it listens on."""
    config = uvicorn.Config(
        app, host="127.0.0.1", port=0, lifespan=lifespan, log_level="warning", timeout_graceful_shutdown=1, ws="none"
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # the test's process keeps its own
    task = asyncio.create_task(server.serve())
    await until(lambda: _itself(server.started))
    try:
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        await task


async def until(true: Callable[[], Awaitable[bool]], seconds: float = 20) -> None:
    """Ask again until it is ``true``; TimeoutError after ``seconds``."""
    async with asyncio.timeout(seconds):
        while not await true():  # noqa: ASYNC110 - there is no event for what others do
            await asyncio.sleep(0.02)


async def _itself(value: bool) -> bool:
    return value


async def problem(response: httpx.Response, status: int, code: str, field: str | None = None) -> dict[str, object]:
    """Assert that ``response`` is that problem, in full."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["code"] == code, told
    assert told["status"] == status
    assert told["request_id"] == response.headers["x-request-id"]
    assert told["title"]
    assert told["detail"]
    if field is not None:
        assert told["field"] == field
    return told
