"""The one door to the database: pools, and transactions that say who is asking and nothing else."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from typing import Any, LiteralString

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, AsyncCursor, OperationalError
from psycopg.adapt import Loader
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from whoknows.domain.credential import Caller
from whoknows.stores.postgres.packed import Packed, PackedDumper
from whoknows.stores.postgres.translate import translated

REQUEST_ROLE = "whoknows_request"
JOBS_ROLE = "whoknows_jobs"
SEARCH_PATH = "whoknows,public"

_ENTER = (
    "SELECT set_config('role', %s, true), set_config('whoknows.credential', %s, true), "
    "set_config('whoknows.principal', %s, true), set_config('whoknows.task', %s, true)"
)
_ENTER_LIGHTLY = f"{_ENTER}, set_config('synchronous_commit', 'off', true)"

Connection = AsyncConnection[DictRow]
Cursor = AsyncCursor[DictRow]
Params = dict[str, Any]


def _settings(timeout: float) -> dict[str, object]:
    return {
        "search_path": SEARCH_PATH,
        "timezone": "UTC",
        "statement_timeout": int(timeout * 3000),
        "lock_timeout": int(timeout * 1000),
        "idle_in_transaction_session_timeout": 60_000,
        "jit": "off",
        "client_min_messages": "warning",
    }


class Sql:
    """Statements of one transaction. Rows are dictionaries and do not leave the store."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ask(
        self, query: LiteralString, params: Params | None = None, loaders: Mapping[int, type[Loader]] | None = None
    ) -> Cursor:
        """Send a statement. In a read nothing waits for it before its rows are fetched: others may be sent meanwhile.

        ``loaders`` read the values of some types (by their number) in another way than usual.
        """
        cursor = self._connection.cursor(binary=True)
        for number, loader in (loaders or {}).items():
            cursor.adapters.register_loader(number, loader)
        return await cursor.execute(query, params)

    async def all(self, query: LiteralString, params: Params | None = None) -> list[DictRow]:
        return await (await self.ask(query, params)).fetchall()

    async def one(self, query: LiteralString, params: Params | None = None) -> DictRow | None:
        return await (await self.ask(query, params)).fetchone()

    async def run(self, query: LiteralString, params: Params | None = None) -> int:
        """Execute and answer how many rows were touched."""
        return (await self._connection.execute(query, params)).rowcount

    async def many(self, query: LiteralString, params: Sequence[Params]) -> None:
        async with self._connection.cursor() as cursor:
            await cursor.executemany(query, params)


class Database:
    """A pool of connections that enter each transaction as an unprivileged role."""

    def __init__(self, dsn: str, size: int, timeout: float) -> None:
        """``size`` connections at most; ``timeout`` in seconds for a connection, and for one statement."""
        self.dsn = dsn
        self._pool = AsyncConnectionPool[Connection](
            dsn,
            connection_class=AsyncConnection[DictRow],
            min_size=2,
            max_size=size,
            timeout=timeout,
            open=False,
            # Give up on a lost connection soon: a new one is made for the next request, while a patient pool would still be
            # waiting long after the database is back.
            reconnect_timeout=3.0,
            configure=_configure,
            check=None,
            kwargs={
                "autocommit": True,
                "row_factory": dict_row,
                "prepare_threshold": 2,
                "options": " ".join(f"-c {name}={value}" for name, value in _settings(timeout).items()),
            },
        )

    async def open(self) -> None:
        with translated():
            await self._pool.open(wait=True, timeout=30)

    async def close(self) -> None:
        await self._pool.close()

    @asynccontextmanager
    async def request(self, caller: Caller | None, read_only: bool = False) -> AsyncGenerator[Sql]:
        """One transaction as the request role. Reads see one snapshot; leaving the block commits, an error undoes all."""
        credential = str(caller.credential.id) if caller else ""
        principal = str(caller.principal.id) if caller and caller.principal else ""
        entered = (REQUEST_ROLE, credential, principal, (caller.task or "") if caller else "")
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if read_only else "BEGIN"
        async with self._transaction(begin, entered, pipelined=read_only) as sql:
            yield sql

    @asynccontextmanager
    async def jobs(self) -> AsyncGenerator[Sql]:
        """One transaction of the background work."""
        async with self._transaction("BEGIN", (JOBS_ROLE, "", "", "")) as sql:
            yield sql

    async def at_once(self, caller: Caller, statement: LiteralString, params: Params) -> None:
        """One statement in a transaction of its own, in one round trip, that a crash may lose."""
        principal = str(caller.principal.id) if caller.principal else ""
        with translated():
            async with self._pool.connection() as connection, connection.pipeline():
                await connection.execute("BEGIN")
                who = (REQUEST_ROLE, str(caller.credential.id), principal, caller.task or "")
                await connection.execute(_ENTER_LIGHTLY, who)
                await connection.execute(statement, params)
                await connection.execute("COMMIT")

    @asynccontextmanager
    async def _transaction(
        self, begin: LiteralString, entered: tuple[str, str, str, str], pipelined: bool = False
    ) -> AsyncGenerator[Sql]:
        with translated():
            connection = await self._begun(begin, entered)
            try:
                try:
                    async with connection.pipeline() if pipelined else nullcontext():
                        yield Sql(connection)
                        await connection.execute("COMMIT")
                except BaseException:
                    if not connection.broken:
                        await connection.execute("ROLLBACK")
                    raise
            finally:
                await self._pool.putconn(connection)

    async def _begun(self, begin: LiteralString, entered: tuple[str, str, str, str]) -> Connection:
        # After a restart of the database the pool is full of dead connections. Nothing has been done on this one yet,
        # so one fresh attempt is safe; the others are thrown away at once.
        for last in (False, True):
            connection = await self._pool.getconn()
            try:
                async with connection.pipeline():  # one round trip instead of two
                    await connection.execute(begin)
                    await connection.execute(_ENTER, entered)
            except BaseException as fault:
                await self._pool.putconn(connection)
                if last or not isinstance(fault, OperationalError):
                    raise
                await self._pool.check()
            else:
                return connection
        raise AssertionError("unreachable")


async def _configure(connection: Connection) -> None:
    await register_vector_async(connection)
    connection.adapters.register_dumper(Packed, PackedDumper)
