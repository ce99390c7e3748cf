"""The REST edge over a world: through ASGI for most, and a real server on loopback where the wire matters."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from model_double import ModelDouble
from whoknows.bootstrap import Installation, assemble
from whoknows.flows.answering import Pace
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .shared import founder, installation, world

__all__ = ["founder", "installation", "world"]
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


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    """A double of a language model's endpoint."""
    with ModelDouble() as double:
        yield double


@pytest.fixture
def patience() -> float:
    """Seconds that the model may take until its first word, and between two; a test may name others."""
    return 20.0


class StandingClock:
    """Always the same moment, so that a context can be put together twice and be the same."""

    def now(self) -> datetime:
        return datetime(2026, 1, 31, 12, tzinfo=UTC)


@asynccontextmanager
async def talking(installation: Installation, double: ModelDouble, patience: float) -> AsyncIterator[Edge]:
    """A server of its own on the database, whose master agent speaks through the double."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    speaker = OpenAISpeaker(double.url, "not-a-key", "m-1")
    pace = Pace(patience=patience, deadline=30)
    service = assemble(store, HashEmbedder(), Limits(), speaker=speaker, pace=pace, clock=StandingClock())
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    yield Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False))
    await service.close()


@pytest.fixture
async def talk(installation: Installation, double: ModelDouble, patience: float) -> AsyncIterator[Edge]:
    """The REST edge over a world whose master agent speaks through the double."""
    async with talking(installation, double, patience) as edge:
        yield edge


@pytest.fixture
async def beside(talk: Edge, double: ModelDouble, patience: float) -> AsyncIterator[Edge]:
    """A second server on the same database, with the same people."""
    async with talking(talk.world.installation, double, patience) as edge:
        edge.world.keys = talk.world.keys
        yield edge


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
