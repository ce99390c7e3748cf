"""The console over a world, through ASGI: forms and pages without a browser."""

import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from acceptance.rest.conftest import BODY_BYTES
from acceptance.rest.shared import founder, world
from whoknows.console.app import add_console, create_console
from whoknows.console.attempts import Attempts
from whoknows.console.facts import Facts
from whoknows.rest.app import create_app
from worlds import World

__all__ = ["founder", "world"]
SignedIn = Callable[[str], AbstractAsyncContextManager[httpx.AsyncClient]]


@pytest.fixture(scope="module")
def built(founder: World) -> tuple[FastAPI, FastAPI]:
    """The console, and the application that it is mounted in; one for the tests of a file, whose templates are read once."""
    console = create_console(founder.service, Facts("test"))
    app = create_app(founder.service, body_bytes=BODY_BYTES, version="test")
    add_console(app, console)
    return console, app


@pytest.fixture
def console(built: tuple[FastAPI, FastAPI]) -> FastAPI:
    """Nobody has tried a wrong key yet."""
    built[0].state.attempts = Attempts()
    return built[0]


@pytest.fixture
def app(built: tuple[FastAPI, FastAPI], console: FastAPI) -> FastAPI:
    return built[1]


@pytest_asyncio.fixture(loop_scope="session")
async def stranger(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    """A browser that has not signed in."""
    async with browser(app) as client:
        yield client


@pytest.fixture
def signed_in(app: FastAPI) -> SignedIn:
    """``async with signed_in(key) as client``: its cookie is set, and its ``X-CSRF-Token`` is sent."""

    @asynccontextmanager
    async def enter(key: str) -> AsyncGenerator[httpx.AsyncClient]:
        async with browser(app) as client:
            answer = await client.post("/console/sign-in", data={"key": key})
            assert answer.status_code == 303, answer.text
            page = await client.get("/console/nothing")
            found = re.search(r'"X-CSRF-Token": "([0-9a-f]{64})"', page.text)
            assert found, page.text
            client.headers["X-CSRF-Token"] = found[1]
            yield client

    return enter


def browser(app: FastAPI) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=30)
