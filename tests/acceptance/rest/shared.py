"""One service for all tests of a file, each in a tenant of its own: tenants are walls, and a database takes its time."""

from collections.abc import AsyncIterator
from uuid import uuid4

import pytest_asyncio

from postgres.databases import fresh, serve
from whoknows.bootstrap import Installation
from worlds import World


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def founder(server: str) -> AsyncIterator[World]:
    """The installation's own world, in which tenants are founded."""
    with fresh(server, f"shared_{uuid4().hex[:12]}") as installation:
        service = await serve(installation)
        yield World(service, installation)
        await service.close()


async def founded(founder: World) -> World:
    """A new tenant, and the key of its administrator."""
    made = await founder.service.keys.create_tenant(await founder.admin(), f"tenant-{uuid4().hex[:12]}")
    return World(founder.service, Installation(founder.installation.dsn, made.secret))


@pytest_asyncio.fixture(loop_scope="session")
async def world(founder: World) -> World:
    """In place of the world that has a database of its own."""
    return await founded(founder)


@pytest_asyncio.fixture(loop_scope="session")
async def installation(world: World) -> Installation:
    """In place of the database of its own: the shared one, with the key of the test's own tenant."""
    return world.installation
