"""Real parts for the tests: one embedded PostgreSQL for the run, and a database of its own for each test that asks."""

import atexit
import itertools
import shutil
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest

from whoknows.bootstrap import Installation, assemble
from whoknows.domain.ids import new_credential_id
from whoknows.flows.authenticate import secret_hash
from whoknows.flows.keys import new_secret
from whoknows.flows.limits import Limits
from whoknows.stores.postgres.embedded import EmbeddedServer
from whoknows.stores.postgres.migrate import migrate
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.sql import blocks
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def server() -> str:
    """DSN of an embedded server with a migrated template database."""
    # Not below pytest's own directory: a second run takes away the rights by which the server, as another user, gets there.
    directory = Path(mkdtemp(prefix="whoknows-test-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)  # after the server's own end, which is registered later
    dsn = EmbeddedServer(directory / "postgres").start()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE template")
    migrate(database_dsn(dsn, "template"), "test", 384)
    return dsn


def database_dsn(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


@pytest.fixture
def installation(server: str) -> Iterator[Installation]:
    """A fresh database with its installation key."""
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template")
    dsn, secret = database_dsn(server, name), new_secret()
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        connection.execute(blocks("credentials")["bootstrap"], {"id": new_credential_id(), "hash": secret_hash(secret)})
    yield Installation(dsn, secret)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
async def world(installation: Installation) -> AsyncIterator[World]:
    """A service on a fresh database, with an embedder that hashes words: vectors without a model."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    service = assemble(store, HashEmbedder(), Limits())
    world = World(service, installation)
    yield replace(world)
    await service.close()
