"""Upkeep: the work that goes on by itself beside the requests of a server."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from whoknows.errors import WhoKnowsError
from whoknows.flows.keep_observations import KeepObservations
from whoknows.flows.reverify import Reverify
from whoknows.flows.work import Work

_LOG = logging.getLogger("whoknows.upkeep")
SWEEP_SECONDS = 1.0
"""What has expired is invisible at once; what it had overturned comes back when it is swept."""
REQUEUE_SECONDS = 10.0
SETTLE_SECONDS = 2.0
OBSERVE_SECONDS = 15.0
REVERIFY_SECONDS = 10.0
"""After a source was synchronised, what is quoted from it is looked for again."""
OLD_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Upkeep:
    """``run`` goes on until it is cancelled; a database that is away is waited for."""

    work: Work
    observations: KeepObservations
    reverify: Reverify

    async def run(self) -> None:
        every: dict[Callable[[], Awaitable[int]], float] = {
            self.work.sweep: SWEEP_SECONDS,
            self.work.settle_publications: SETTLE_SECONDS,
            self.work.requeue: REQUEUE_SECONDS,
            self.observations: OBSERVE_SECONDS,
            self.reverify.due: REVERIFY_SECONDS,
            self.work.sweep_old: OLD_SECONDS,
        }
        due = dict.fromkeys(every, 0.0) | {self.work.sweep_old: time.monotonic() + OLD_SECONDS}
        while True:
            for chore, at in list(due.items()):
                if time.monotonic() >= at:
                    await _quietly(chore)
                    due[chore] = time.monotonic() + every[chore]
            await asyncio.sleep(SWEEP_SECONDS)


def kept_alive(task: Callable[[], Awaitable[None]], name: str) -> Callable[[], Awaitable[None]]:
    """``task``, begun again whenever it ends by itself: nobody would notice that it is gone."""

    async def again() -> None:
        while True:
            try:
                await task()
            except Exception as fault:  # whatever it was, the next second may be better
                _LOG.warning("%s ended (%s): it begins again", name, type(fault).__name__)
            await asyncio.sleep(SWEEP_SECONDS)

    return again


async def _quietly(chore: Callable[[], Awaitable[int]]) -> None:
    try:
        await chore()
    except WhoKnowsError as fault:
        _LOG.warning("upkeep could not be done: %s", fault.code)
