"""Client of the REST interface: waiting (`WhoKnows`), awaited (`AsyncWhoKnows`), or never failing (`FailOpen`)."""

from typing import TYPE_CHECKING

from whoknows.client.asynchronous import AsyncWhoKnows
from whoknows.client.errors import ApiError, ServerUnreachable
from whoknows.client.synchronous import WhoKnows

if TYPE_CHECKING:
    from whoknows.client.failopen import Breaker, Degraded, FailOpen

__all__ = ["ApiError", "AsyncWhoKnows", "Breaker", "Degraded", "FailOpen", "ServerUnreachable", "WhoKnows"]


def __getattr__(name: str) -> object:
    # Commands that begin anew each time do not pay for what they do not use.
    if name in ("Breaker", "Degraded", "FailOpen"):
        from whoknows.client import failopen  # noqa: PLC0415

        return getattr(failopen, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
