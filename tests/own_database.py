"""A database of a test's own, and the service on it."""

import itertools
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import pytest

from postgres.databases import fresh
from whoknows.bootstrap import Installation, assemble
from whoknows.flows.limits import Limits
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

_NUMBERS = itertools.count()


@pytest.fixture
def installation(server: str) -> Iterator[Installation]:
    """A fresh database with its installation key."""
    with fresh(server, f"test_{next(_NUMBERS)}") as installation:
        yield installation


@pytest.fixture
async def world(installation: Installation) -> AsyncIterator[World]:
    """A service on a fresh database, with an embedder that hashes words: vectors without a model."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    service = assemble(store, HashEmbedder(), Limits())
    world = World(service, installation)
    yield replace(world)
    await service.close()
