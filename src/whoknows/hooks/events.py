"""What a program says on standard input: as it came, and the two names that are needed here."""

from __future__ import annotations

import os

from .faults import Fault
from .parsing import parsed

MOST = 1024 * 1024
"""Bytes that the server takes."""


class Event:
    """``session``: None where it has none that could name a file."""

    def __init__(self, body: bytes) -> None:
        said = parsed(body, "input_not_json", "input_not_json", counts=False)
        self.body = body
        self.name = _plain(said.get("hook_event_name"), 40, "") or "-"
        self.session = _plain(said.get("session_id"), 100, "-_")


def read(file: int) -> bytes:
    """Everything up to its end."""
    parts: list[bytes] = []
    length = 0
    while True:
        try:
            part = os.read(file, 65536)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)
        length += len(part)
        if length > MOST:
            raise Fault("input_too_large", counts=False)


def _plain(value: object, most: int, also: str) -> str | None:
    """A name that may stand in a log and in the name of a file, or None."""
    if not isinstance(value, str) or not 0 < len(value) <= most:
        return None
    return value if all(c.isascii() and (c.isalnum() or c in also) for c in value) else None
