"""The log of faults, one line each: when, which program, at which event, why and after how long; never a text or a key.

Behind these words stands what to do, where it is always the same.
"""

from __future__ import annotations

import os
import time

from . import state

NAME = "hook.log"
MOST = 128 * 1024
"""Bytes of the log, and of the one before it, which is kept beside it."""


def note(folder: str, program: str, event: str, code: str, milliseconds: int, advice: str = "") -> None:
    path = os.path.join(folder, NAME)
    at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    line = f"{at} {program} {event} {code} {milliseconds}ms" + (f" {advice}\n" if advice else "\n")
    if state.append(path, line.encode("ascii", "replace")) > MOST:
        _turn_over(path)


def advice(code: str, program: str) -> str:
    """What a person can do about ``code``; empty where that depends."""
    if code == "other_server":
        return f"nothing was sent: {program} was not connected to WHOKNOWS_URL; `whoknows connect {program}` if it is meant"
    if code == "no_server":
        return f"nothing was sent: `whoknows connect {program}` notes which server may be asked"
    return ""


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
