"""The log of faults, one line each: when, which program, at which event, why and after how long; never a text or a key."""

from __future__ import annotations

import os
import time

from . import state

NAME = "hook.log"
MOST = 128 * 1024
"""Bytes of the log, and of the one before it, which is kept beside it."""


def note(folder: str, program: str, event: str, code: str, milliseconds: int) -> None:
    path = os.path.join(folder, NAME)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {program} {event} {code} {milliseconds}ms\n"
    if state.append(path, line.encode("ascii", "replace")) > MOST:
        _turn_over(path)


def _turn_over(path: str) -> None:
    """One of those that find it full does it, the others go their way."""
    try:
        import fcntl  # noqa: PLC0415

        lock = os.open(path + ".lock", os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.stat(path).st_size > MOST:
                os.replace(path, path + ".1")
        finally:
            os.close(lock)
    except (OSError, ImportError):
        return
