"""The awaited client on a thread of its own: for callers that wait, for any event loop, and for what nobody waits for."""

import asyncio
import os
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import wait as finished
from typing import Any, Self, TypeVar

import httpx

from whoknows.client.asynchronous import AsyncWhoKnows
from whoknows.client.connection import settings
from whoknows.client.errors import ServerUnreachable
from whoknows.machine import DEFAULT_URL

T = TypeVar("T")
PARTING = 2.0
"""Seconds that the end of the program waits for what was sent last."""


class Background:
    """One client, one thread, one loop: from a thread ``do``, from any event loop ``await ado``, and ``later`` for neither.

    ``within`` is the longest that a caller waits, in seconds, whatever the server does; ServerUnreachable after that.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        task: str | None = None,
        timeout: httpx.Timeout | float | None = None,
    ) -> None:
        self.url = url
        settings(url, key, agent, timeout, task)  # what cannot be a key is said at once
        self._new = lambda: AsyncWhoKnows(url, key=key, agent=agent, task=task, timeout=timeout)
        self._lock = threading.Lock()
        self._runner: _Runner | None = None
        self._closed = False

    def do(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], within: float | None = None) -> T:
        future = self._start(work)
        try:
            return future.result(within)
        except TimeoutError as e:
            future.cancel()
            raise self._late() from e

    async def ado(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], within: float | None = None) -> T:
        """The same, awaited: on whatever loop, and the loop is free meanwhile."""
        try:
            return await asyncio.wait_for(asyncio.wrap_future(self._start(work)), within)
        except TimeoutError as e:
            raise self._late() from e

    def later(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, None]]) -> None:
        """Begin, and wait for nothing. ``flush`` does."""
        pending = self._running().pending
        future = self._start(work)
        pending.add(future)
        future.add_done_callback(pending.discard)

    def flush(self, within: float = PARTING) -> int:
        """Wait for what was left to itself; the number of those that are not done by then."""
        pending = () if self._runner is None else tuple(self._runner.pending)
        return len(finished(pending, within).not_done)

    def close(self) -> None:
        """Waits for what is on its way, up to two seconds. Nothing is sent afterwards."""
        self._closed = True
        if self._runner is not None:
            self._runner.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _start(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]]) -> Future[T]:
        runner = self._running()
        return asyncio.run_coroutine_threadsafe(work(runner.client), runner.loop)

    def _running(self) -> "_Runner":
        """Begun by the first call, and again in a process that was forked: threads stay behind in the one before."""
        if self._closed:
            raise RuntimeError("this was closed: make a new one")
        with self._lock:
            if self._runner is None or self._runner.pid != os.getpid():
                self._runner = _Runner(self._new())
                # Also at the end of the program: what was captured last is still on its way then.
                self._runner.end = weakref.finalize(self, self._runner.stop)
            return self._runner

    def _late(self) -> ServerUnreachable:
        return ServerUnreachable(self.url, httpx.ReadTimeout("too late"))


class _Runner:
    """A client with its loop and thread. It knows nothing of whom it works for, so that those can be forgotten."""

    end: Callable[[], object]

    def __init__(self, client: AsyncWhoKnows) -> None:
        self.client = client
        self.pid = os.getpid()
        self.pending: set[Future[Any]] = set()
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="whoknows", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        if os.getpid() != self.pid:
            return
        finished(tuple(self.pending), PARTING)
        asyncio.run_coroutine_threadsafe(_leave(self.client), self.loop)
        if threading.current_thread() is not self._thread:
            self._thread.join(PARTING)

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()
        self.loop.close()


async def _leave(client: AsyncWhoKnows) -> None:
    loop = asyncio.get_running_loop()
    others = [t for t in asyncio.all_tasks(loop) if t is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await client.close()
    loop.stop()
