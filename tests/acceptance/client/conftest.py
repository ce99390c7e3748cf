"""A world behind a real server on loopback, and its people as clients."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pytest

from acceptance.rest.conftest import serving
from whoknows.client import AsyncWhoKnows, WhoKnows
from whoknows.rest.app import create_app
from worlds import World

T = TypeVar("T")


@dataclass
class Served:
    world: World
    url: str

    def key(self, who: str) -> str:
        return self.world.installation.new_key or "" if who == "admin" else self.world.keys[who]

    def client(self, who: str, **options: Any) -> AsyncWhoKnows:
        return AsyncWhoKnows(self.url, key=self.key(who), **options)

    async def waiting(self, who: str, does: Callable[[WhoKnows], T]) -> T:
        """``does`` with the client that waits, beside the server's loop."""

        def run() -> T:
            with WhoKnows(self.url, key=self.key(who)) as wk:
                return does(wk)

        return await asyncio.to_thread(run)


@pytest.fixture
async def served(world: World) -> AsyncIterator[Served]:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    async with serving(create_app(world.service, body_bytes=1 << 20, version="test")) as url:
        yield Served(world, url)
