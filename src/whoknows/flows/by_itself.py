"""By itself: what waits behind an answer is taken on as the one who asked, account by account; what fails is put off."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.ids import CredentialId, PrincipalId, TenantId
from whoknows.domain.principal import Principal
from whoknows.errors import Forbidden, Invalid, Unauthenticated, WhoKnowsError
from whoknows.flows.distill import Overtaken

_LOOK_SECONDS = 1.0
T = TypeVar("T")


class PutOff(Protocol):
    async def __call__(self, fault: str, for_good: bool, /) -> None:
        """It failed, and ``fault`` is why: again later, or never."""
        ...


async def forever(some: Callable[[], Awaitable[int]]) -> None:
    """``some`` again and again until it is cancelled, with a pause where it took nothing on."""
    while True:
        if not await some():
            await asyncio.sleep(_LOOK_SECONDS)


class Queue(Protocol[T]):
    """What waits, account by account."""

    async def claim(self, lease: timedelta, after: PrincipalId | None, /) -> Sequence[T]:
        """The oldest of each account, of a few accounts, beginning behind ``after``; this process's for a ``lease``."""
        ...

    async def renew(self, held: Sequence[T], lease: timedelta, /) -> None:
        """Those of ``held`` that are still this process's, for another ``lease``."""
        ...

    def account(self, one: T, /) -> PrincipalId:
        """Whose it is."""
        ...

    async def take_on(self, one: T, /) -> None:
        """Do it. Never raises."""
        ...


@dataclass(slots=True)
class Rounds:
    """Whose turn it was last: the next round begins behind that account, so that nobody waits for ever behind others."""

    last: PrincipalId | None = None

    async def next(self, queue: Queue[T], lease: timedelta) -> int:
        """The oldest of each account, of a few accounts at once; how many were taken on.

        One of an account, since what was said later may change what was said before. All stay in hand while this process lives.
        """
        held = await queue.claim(lease, self.last)
        if not held:
            return 0
        self.last = queue.account(held[-1])
        renewing = asyncio.create_task(_renewed(lambda: queue.renew(held, lease), lease / 3))
        try:
            await asyncio.gather(*(queue.take_on(one) for one in held))
        finally:
            renewing.cancel()
            await asyncio.gather(renewing, return_exceptions=True)
        return len(held)


async def attempted(log: logging.Logger, what: str, work: Awaitable[object], put_off: PutOff) -> None:
    """``work``, and what becomes of it where it fails. Never raises: whatever one does, the others go on."""
    try:
        await work
    except Overtaken:  # by another process, or what was heard went meanwhile
        await _put_off(put_off, "overtaken", for_good=False)
    except (Forbidden, Unauthenticated, Invalid) as fault:
        log.info("%s is not distilled: %s", what, fault.code)
        reason = fault.reason_code if isinstance(fault, Forbidden) else None
        await _put_off(put_off, reason or fault.code, for_good=True)
    except WhoKnowsError as fault:
        log.warning("%s could not be distilled: %s", what, fault.code)
        await _put_off(put_off, fault.code, for_good=False)
    except Exception as fault:
        log.error("%s could not be distilled: %s", what, type(fault).__name__)
        await _put_off(put_off, "internal", for_good=False)


def as_asked(tenant: TenantId, credential: CredentialId, asked_by: Principal) -> Caller:
    """The one who asked, with the key that was used then: the database says what that may still do today."""
    known = Credential(
        id=credential,
        tenant_id=tenant,
        tenant="",
        acts_as=(asked_by,),
        permissions=frozenset(),
        task_id=None,
        expires_at=None,
    )
    return Caller(known, asked_by)


async def _renewed(renew: Callable[[], Awaitable[None]], every: timedelta) -> None:
    while True:
        await asyncio.sleep(every.total_seconds())
        with suppress(WhoKnowsError):  # a database that is away may be back before the lease ends
            await renew()


async def _put_off(put_off: PutOff, fault: str, for_good: bool) -> None:
    with suppress(WhoKnowsError):  # its lease ends by itself
        await put_off(fault, for_good)
