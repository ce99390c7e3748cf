"""Streams that end with the session, as they end with the key."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TypeVar

from starlette.requests import Request

from whoknows.console.viewer import service_of
from whoknows.domain.session import Session
from whoknows.errors import Unauthenticated

T = TypeVar("T")
QUIET_SECONDS = 5.0
"""A stream in which nothing happens is asked for its session this often: a hall full of screens is quiet most of the time."""


NOTED_SECONDS = 600.0
"""Who watches is there: so often its session is noted as used, so that it does not end as one that nobody needs."""


async def noted_as_used(request: Request, token: str, found: AsyncGenerator[T | None]) -> AsyncGenerator[T | None]:
    """What is ``found`` by a flow that looks up the session of ``token`` itself."""
    noted = time.monotonic()
    async with aclosing(found):
        async for event in found:
            if time.monotonic() - noted > NOTED_SECONDS:
                try:
                    await service_of(request).sign_in.find(token)
                except Unauthenticated:
                    return
                noted = time.monotonic()
            yield event


async def while_signed_in(
    request: Request, token: str, session: Session, found: AsyncGenerator[T | None]
) -> AsyncGenerator[T | None]:
    """What is ``found``, until the session of ``token`` is over or reads as somebody else; looked up again for each event."""
    sign_in, asked = service_of(request).sign_in, time.monotonic()
    async with aclosing(found):
        async for event in found:
            if event is not None or time.monotonic() - asked > QUIET_SECONDS:
                try:
                    now = await sign_in.find(token)
                except Unauthenticated:
                    return
                if (now.eyes, now.acting) != (session.eyes, session.acting):
                    return
                asked = time.monotonic()
            yield event
