"""Databases of their own, made from the migrated template, for tests that keep one through many examples."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from whoknows.bootstrap import Installation, assemble
from whoknows.domain.ids import new_credential_id
from whoknows.flows.authenticate import secret_hash
from whoknows.flows.keys import new_secret
from whoknows.flows.limits import Limits
from whoknows.service import Service
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.sql import blocks
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder


@contextmanager
def fresh(server: str, name: str) -> Iterator[Installation]:
    """The database ``name`` with its installation key, dropped at the end."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy")
    dsn, secret = server.replace("/postgres?", f"/{name}?"), new_secret()
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        connection.execute(blocks("credentials")["bootstrap"], {"id": new_credential_id(), "hash": secret_hash(secret)})
    yield Installation(dsn, secret)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def serve(installation: Installation, database: Database | None = None) -> Service:
    """An open service on it, with the embedder that hashes words."""
    store = PostgresStore(database or Database(installation.dsn, size=4, timeout=10))
    await store.open()
    return assemble(store, HashEmbedder(), Limits())
