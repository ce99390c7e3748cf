"""By itself: what waits behind an answer is taken on as the one who asked, in order for each account; what fails is put off."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Hashable, Sequence
from contextlib import suppress
from typing import Protocol, TypeVar

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.ids import CredentialId, TenantId
from whoknows.domain.principal import Principal
from whoknows.errors import Forbidden, Invalid, Unauthenticated, WhoKnowsError
from whoknows.flows.distill import Overtaken

_LOOK_SECONDS = 1.0
C = TypeVar("C")


class PutOff(Protocol):
    async def __call__(self, fault: str, for_good: bool, /) -> None:
        """It failed, and ``fault`` is why: again later, or never."""
        ...


async def forever(some: Callable[[], Awaitable[int]]) -> None:
    """``some`` again and again until it is cancelled, with a pause where it took nothing on."""
    while True:
        if not await some():
            await asyncio.sleep(_LOOK_SECONDS)


async def in_order(waiting: Sequence[C], account: Callable[[C], Hashable], one: Callable[[C], Awaitable[None]]) -> None:
    """All accounts at once, of each one after the other: what was said later may change what was said before."""

    async def of_one(some: Sequence[C]) -> None:
        for each in some:
            await one(each)

    of_account: dict[Hashable, list[C]] = {}
    for each in waiting:
        of_account.setdefault(account(each), []).append(each)
    await asyncio.gather(*(of_one(some) for some in of_account.values()))


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


async def _put_off(put_off: PutOff, fault: str, for_good: bool) -> None:
    with suppress(WhoKnowsError):  # its lease ends by itself
        await put_off(fault, for_good)
