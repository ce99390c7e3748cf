"""Reading that never fails: an answer in time, or the word that there is none and why."""

import logging
import threading
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, Self, TypeVar, Unpack, cast

from whoknows.client import memories
from whoknows.client.answers import Memory, MemoryPage, Recollection
from whoknows.client.asynchronous import AsyncWhoKnows
from whoknows.client.background import Background
from whoknows.client.call import Call
from whoknows.client.errors import ApiError
from whoknows.machine import DEFAULT_URL

T = TypeVar("T")
PATIENCE = 1.0
"""Seconds that a caller waits at most."""
FAILURES = 3
"""So many in a row, and the server is left alone for a while."""
PAUSE = 30.0
"""Seconds for which it is left alone; then one call tries."""
_LOG = logging.getLogger("whoknows")


@dataclass(frozen=True, slots=True)
class Degraded:
    """There is no answer. ``code`` is that of the error (``server_unreachable``, ``not_found``…) or ``paused``, ``bad_answer``.

    It counts as false: ``if found := wk.recall("…"): …`` uses an answer, and goes on without one.
    """

    code: str
    detail: str

    def __bool__(self) -> Literal[False]:
        return False


class Breaker:
    """Opens after ``failures`` in a row; closed again by a success. While it is open, one call each ``pause`` seconds tries."""

    def __init__(self, failures: int = FAILURES, pause: float = PAUSE, clock: Callable[[], float] = time.monotonic) -> None:
        self._most = failures
        self._pause = pause
        self._clock = clock
        self._lock = threading.Lock()
        self._failed = 0
        self._next_try = 0.0

    def lets(self) -> bool:
        """Whether a call may be made now. Who gets a yes while it is open is the one that tries."""
        with self._lock:
            if self._failed < self._most:
                return True
            if self._clock() < self._next_try:
                return False
            self._next_try = self._clock() + self._pause
            return True

    def succeeded(self) -> None:
        with self._lock:
            self._failed = 0

    def failed(self) -> None:
        with self._lock:
            self._failed += 1
            self._next_try = self._clock() + self._pause


class FailOpen:
    """``with FailOpen(key=…) as wk: if found := wk.recall("…"): …``. Never raises what a server did, never takes longer.

    ``patience``: the longest that a call takes, in seconds, with everything. Each verb waits, or is awaited (``arecall``).
    Every fault is one line of the log ``whoknows``; what the breaker keeps back is none.
    """

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        task: str | None = None,
        patience: float = PATIENCE,
        breaker: Breaker | None = None,
    ) -> None:
        self.patience = patience
        self.background = Background(url, key=key, agent=agent, task=task, timeout=max(patience, 60.0))
        self._breaker = breaker or Breaker()

    def recall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        **filters: Unpack[memories.Filters],
    ) -> Recollection | Degraded:
        return _whole(self.ask(memories.recall(query, limit=limit, min_score=min_score, **filters)), "memories")

    async def arecall(
        self,
        query: str,
        *,
        limit: int | None = None,
        min_score: float | None = None,
        **filters: Unpack[memories.Filters],
    ) -> Recollection | Degraded:
        return _whole(await self.aask(memories.recall(query, limit=limit, min_score=min_score, **filters)), "memories")

    def list(self, **filters: Unpack[memories.ListFilters]) -> MemoryPage | Degraded:
        return _whole(self.ask(memories.list_memories(**filters)), "items")

    async def alist(self, **filters: Unpack[memories.ListFilters]) -> MemoryPage | Degraded:
        return _whole(await self.aask(memories.list_memories(**filters)), "items")

    def get(self, memory_id: str) -> Memory | Degraded:
        return self.ask(memories.get(memory_id))

    async def aget(self, memory_id: str) -> Memory | Degraded:
        return await self.aask(memories.get(memory_id))

    def ask(self, call: Call[T]) -> T | Degraded:
        """Any call. One that writes may have been carried out although no answer came."""
        return self.work(lambda wk: wk.send(call))

    async def aask(self, call: Call[T]) -> T | Degraded:
        return await self.awork(lambda wk: wk.send(call))

    def work(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], patience: float | None = None) -> T | Degraded:
        """Several calls together, within the patience of one, or within another ``patience``."""
        if not self._breaker.lets():
            return _PAUSED
        try:
            answer = self.background.do(work, patience or self.patience)
        except Exception as e:  # whatever it was, the caller goes on without
            return self._fault(e)
        self._breaker.succeeded()
        return answer

    async def awork(
        self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], patience: float | None = None
    ) -> T | Degraded:
        if not self._breaker.lets():
            return _PAUSED
        try:
            answer = await self.background.ado(work, patience or self.patience)
        except Exception as e:
            return self._fault(e)
        self._breaker.succeeded()
        return answer

    def close(self) -> None:
        self.background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _fault(self, error: Exception) -> Degraded:
        match error:
            case ApiError(status=status) if 0 < status < 500 and status != 429:
                self._breaker.succeeded()  # it is there, and said no
                degraded = Degraded(error.code, error.detail)
            case ApiError():
                self._breaker.failed()
                degraded = Degraded(error.code, error.detail)
            case ValueError():
                self._breaker.failed()
                degraded = Degraded("bad_answer", "the server answered something that is no JSON")
            case _:
                self._breaker.failed()
                degraded = Degraded("failed", f"{type(error).__name__}: {error}")
        _LOG.warning("memory: going on without it: %s (%s)", degraded.detail, degraded.code)
        return degraded


_PAUSED = Degraded("paused", "the server failed several times in a row, and is left alone for a while")


def _whole(answer: T | Degraded, field: str) -> T | Degraded:
    """An answer that has its list; whatever stands between may answer something else with 200."""
    if isinstance(answer, Degraded):
        return answer
    raw = cast(object, answer)
    found = cast(dict[str, object], raw).get(field) if isinstance(raw, dict) else None
    if isinstance(found, list) and all(isinstance(item, dict) for item in cast(list[object], found)):
        return answer
    _LOG.warning("memory: going on without it: the answer has no %s (bad_answer)", field)
    return Degraded("bad_answer", f"the answer has no {field}")
