"""When a request may be sent again, and how long to wait before."""

import random

import httpx

from whoknows.client.call import Call
from whoknows.client.errors import retry_after

TRIES = 4
"""Attempts in all."""
LONGEST = 10.0
"""Seconds; a server that asks for more is not waited for."""


def pause(call: Call[object], attempt: int, outcome: httpx.Response | httpx.TransportError) -> float | None:
    """Seconds until the next attempt after ``attempt`` (from 1) ended in ``outcome``; None where it is final.

    Only repeatable calls are sent again, with one exception: a connection that was never made carried nothing.
    """
    if attempt >= TRIES:
        return None
    own = random.uniform(0.5, 1.0) * 0.2 * 2**attempt  # noqa: S311  # jitter, not a secret
    if isinstance(outcome, httpx.Response):
        if outcome.status_code not in (429, 503) or not call.repeatable:
            return None
        asked = retry_after(outcome)
        return own if asked is None else asked if asked <= LONGEST else None
    if isinstance(outcome, httpx.ConnectError | httpx.ConnectTimeout):
        return own if attempt < 2 else None
    return own if call.repeatable and not isinstance(outcome, httpx.TimeoutException) else None
