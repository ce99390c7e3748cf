"""Databases of their own, made from the migrated template, for tests that keep one through many examples."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from uuid import uuid4

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
    administrator, installed, secret = _installed(server)
    administrator.execute(f"CREATE DATABASE {name} TEMPLATE {installed} STRATEGY file_copy")
    yield Installation(_dsn(server, name), secret)
    administrator.execute(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _installed(server: str) -> tuple[psycopg.Connection, str, str]:
    """A connection that makes and drops, a template with an installation key, and the key: a thousand are made in a run."""
    administrator, secret = psycopg.connect(server, autocommit=True), new_secret()
    name = f"installed_{uuid4().hex[:12]}"  # two modules, as far as Python sees it: with and without its folder
    administrator.execute(f"CREATE DATABASE {name} TEMPLATE template STRATEGY file_copy")
    with psycopg.connect(_dsn(server, name), options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        connection.execute(blocks("credentials")["bootstrap"], {"id": new_credential_id(), "hash": secret_hash(secret)})
    return administrator, name, secret


def _dsn(server: str, name: str) -> str:
    return server.replace("/postgres?", f"/{name}?")


async def serve(installation: Installation, database: Database | None = None) -> Service:
    """An open service on it, with the embedder that hashes words."""
    store = PostgresStore(database or Database(installation.dsn, size=4, timeout=10))
    await store.open()
    return assemble(store, HashEmbedder(), Limits())
