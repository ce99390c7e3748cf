"""A limit on failed sign-ins: a key cannot be guessed, but nobody need try."""

import time
from collections import OrderedDict, deque

from whoknows.console.errors import TooManyAttempts

WINDOW_SECONDS = 300.0
PER_ADDRESS = 10
ALTOGETHER = 200
_REMEMBERED = 10_000
"""Addresses that are kept at most; the one that was silent longest is forgotten first."""


class Attempts:
    """Failures of the last minutes, by address, in this process."""

    def __init__(self) -> None:
        self._failed: OrderedDict[str, deque[float]] = OrderedDict()
        self._all: deque[float] = deque(maxlen=ALTOGETHER)

    def check(self, address: str) -> None:
        """Raises TooManyAttempts while ``address``, or everybody together, has failed too often."""
        now = time.monotonic()
        own = self._failed.get(address, deque())
        for failures, most in ((own, PER_ADDRESS), (self._all, ALTOGETHER)):
            while failures and now - failures[0] > WINDOW_SECONDS:
                failures.popleft()
            if len(failures) >= most:
                raise TooManyAttempts(retry_after=int(WINDOW_SECONDS - (now - failures[0])) + 1)

    def begin(self, address: str) -> None:
        """Counts an attempt as a failure until ``passed`` takes it back, so that many at once are no more than one by one."""
        self.check(address)
        now = time.monotonic()
        self._failed.setdefault(address, deque(maxlen=PER_ADDRESS)).append(now)
        self._failed.move_to_end(address)
        self._all.append(now)
        if len(self._failed) > _REMEMBERED:
            self._failed.popitem(last=False)

    def passed(self, address: str) -> None:
        """The latest attempt of ``address`` was no failure."""
        own = self._failed.get(address)
        if own:
            own.pop()
        if own is not None and not own:
            del self._failed[address]
        if self._all:
            self._all.pop()
