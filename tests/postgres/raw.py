"""Bare connections: the second lock without the first, and the first without the second."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection
from psycopg.rows import DictRow, dict_row

from whoknows.domain.credential import Caller
from whoknows.stores.postgres.session import REQUEST_ROLE, SEARCH_PATH, Sql

NOBODY = ("", "", "")
_IDLE: dict[str, list[AsyncConnection[DictRow]]] = {}


@asynccontextmanager
async def connections_kept(dsn: str) -> AsyncIterator[None]:
    """Meanwhile transactions on this database share connections, for tests that begin thousands in one event loop."""
    _IDLE[dsn] = []
    try:
        yield
    finally:
        for connection in _IDLE.pop(dsn):
            await connection.close()


@asynccontextmanager
async def entered(
    dsn: str, role: str | None, credential: str, principal: str, task: str
) -> AsyncIterator[AsyncConnection[DictRow]]:
    """A transaction under ``role`` (None: the owner of the database, whom row-level security does not bind). It is undone."""
    async with _connection(dsn) as connection:
        if role is not None:
            await connection.execute("SELECT set_config('role', %s, true)", (role,))
        await connection.execute(
            "SELECT set_config('whoknows.credential', %s, true), set_config('whoknows.principal', %s, true), "
            "set_config('whoknows.task', %s, true)",
            (credential, principal, task),
        )
        yield connection
        await connection.rollback()


@asynccontextmanager
async def _connection(dsn: str) -> AsyncIterator[AsyncConnection[DictRow]]:
    """An idle one where connections are kept. One in which something went wrong is not used again."""
    idle = _IDLE.get(dsn)
    connection = idle.pop() if idle else await _opened(dsn)
    try:
        yield connection
    except BaseException:
        await connection.close()
        raise
    if idle is None:
        await connection.close()
    else:
        idle.append(connection)


async def _opened(dsn: str) -> AsyncConnection[DictRow]:
    options = f"-c search_path={SEARCH_PATH} -c timezone=UTC"
    connection = await AsyncConnection[DictRow].connect(dsn, options=options, row_factory=dict_row)
    await register_vector_async(connection)
    return connection


@asynccontextmanager
async def second_lock_alone(dsn: str, caller: Caller) -> AsyncIterator[AsyncConnection[DictRow]]:
    """The request role as ``caller``: statements need no filter."""
    async with entered(dsn, REQUEST_ROLE, *claims(caller)) as connection:
        yield connection


@asynccontextmanager
async def first_lock_alone(dsn: str, caller: Caller) -> AsyncIterator[Sql]:
    """The gateways' statements as ``caller``, by one whom no policy binds."""
    async with entered(dsn, None, *claims(caller)) as connection:
        yield Sql(connection)


def claims(caller: Caller) -> tuple[str, str, str]:
    return str(caller.credential.id), str(caller.principal.id) if caller.principal else "", caller.task or ""


async def column(connection: AsyncConnection[DictRow], query: Any, params: Any = None) -> list[Any]:
    """The first column of all rows."""
    return [next(iter(r.values())) for r in await (await connection.execute(query, params)).fetchall()]


async def until_one_waits(dsn: str) -> None:
    """For a lock that another holds; TimeoutError where nobody does."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    async with asyncio.timeout(20), await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        while (await (await connection.execute(waiting)).fetchone()) == (0,):  # noqa: ASYNC110 - no event tells of it
            await asyncio.sleep(0.02)
