"""Listen for commits of all instances, on one connection, and wake whoever waits for a tenant's."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import psycopg

from whoknows.domain.ids import TenantId

CHANNEL = "whoknows_events"
HEARTBEAT = 1.0
"""Seconds after which a waiting stream looks anyway: a commit may become readable only after an older one ended."""


class Listener:
    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._task: asyncio.Task[None] | None = None
        self._waiting: dict[TenantId, set[asyncio.Event]] = {}

    async def changes(self, tenant: TenantId) -> AsyncIterator[None]:
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._listen(), name="listener")
        woken = asyncio.Event()
        self._waiting.setdefault(tenant, set()).add(woken)
        try:
            while True:
                yield
                with suppress(TimeoutError):
                    await asyncio.wait_for(woken.wait(), HEARTBEAT)
                woken.clear()
        finally:
            self._waiting[tenant].discard(woken)
            if not self._waiting[tenant]:
                del self._waiting[tenant]

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    async def _listen(self) -> None:
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(self._dsn, autocommit=True)
                async with connection:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    async for notice in connection.notifies():
                        self._wake(notice.payload)
            except psycopg.Error:
                await asyncio.sleep(HEARTBEAT)

    def _wake(self, payload: str) -> None:
        if payload.isascii() and payload.isdigit():
            for woken in self._waiting.get(TenantId(int(payload)), ()):
                woken.set()
