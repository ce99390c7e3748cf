"""The console behind a real server on loopback, each test in a tenant of its own, and a real browser."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from acceptance.rest.conftest import BODY_BYTES, serving
from acceptance.rest.shared import founded, founder
from browser.talking import talking_house
from browser.visiting import Visitor, visiting
from console.chromium import launched
from model_double import ModelDouble, says
from whoknows.console.app import add_console, create_console
from whoknows.console.facts import Facts
from whoknows.rest.app import create_app
from worlds import World

__all__ = ["founder"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One loop for the run: the browser, the server and the tests live in it."""
    for item in items:
        if "tests/browser" in str(item.path):
            item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@dataclass
class House:
    """``house.world`` is a tenant of the test's own; ``house.url`` the address of the server."""

    world: World
    url: str


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def address(founder: World) -> AsyncIterator[str]:
    app = create_app(founder.service, body_bytes=BODY_BYTES, version="test")
    add_console(app, create_console(founder.service, Facts("test")))
    async with serving(app) as url:
        yield url


@pytest_asyncio.fixture(loop_scope="session")
async def house(founder: World, address: str) -> House:
    return House(await founded(founder), address)


@pytest_asyncio.fixture(loop_scope="session")
async def visitor(browser: Browser, house: House) -> AsyncIterator[Visitor]:
    """Nobody has signed in yet. English, light, 1280 pixels wide."""
    async with visiting(browser, house.url) as visitor:
        yield visitor


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    """A double of a language model's endpoint."""
    with ModelDouble() as double:
        yield double


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def talking(founder: World, double: ModelDouble) -> AsyncIterator[tuple[World, str]]:
    async with talking_house(founder, double) as talking:
        yield talking


@pytest_asyncio.fixture(loop_scope="session")
async def parlour(talking: tuple[World, str], double: ModelDouble) -> House:
    """A house in which the double speaks, in a tenant of the test's own."""
    double.requests.clear()
    for event in (double.reached, double.go_on, double.left):
        event.clear()
    double.plays(says("好的。"))
    world, url = talking
    return House(await founded(world), url)
