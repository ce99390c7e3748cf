"""Room: so many are answered at once, so that a crowd of them leaves something for everyone else."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from whoknows.errors import Busy


class Room:
    def __init__(self, places: int, patience: float) -> None:
        """``patience`` in seconds: who waited so long has given up by then, and an answer would be for nobody."""
        self._places = asyncio.Semaphore(places)
        self._patience = patience

    @asynccontextmanager
    async def place(self, *, waits: bool = False) -> AsyncGenerator[None]:
        """In the order in which they came. Busy where none is free in time, but for what ``waits``: it is wanted late, too."""
        try:
            async with asyncio.timeout(None if waits else self._patience):
                await self._places.acquire()
        except TimeoutError:
            raise Busy from None
        try:
            yield
        finally:
            self._places.release()
