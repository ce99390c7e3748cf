"""Lines from a program that may stay silent for hours: whole ones only, none of them without end."""

from __future__ import annotations

import os
import select

MOST = 16 * 1024 * 1024
"""Bytes of a line. What a server takes is far less; so much is read that whoever sent it can be told so by its number."""


class Lines:
    """Of an open file. ``over``: nothing comes any more."""

    def __init__(self, file: int, most: int = MOST) -> None:
        self._file = file
        self._most = most
        self._parts: list[bytes] = []
        self._length = 0
        self.over = False

    def wait(self, seconds: float) -> list[bytes | None]:
        """Those that are whole by now, as soon as there are some or the time is over. None for one that is too long."""
        try:
            if not select.select([self._file], [], [], seconds)[0]:
                return []
            part = os.read(self._file, 65536)
        except BlockingIOError:
            return []
        except OSError:
            part = b""
        if part:
            return self._split(part)
        self.over = True
        return [self._taken()] if self._length else []

    def _split(self, part: bytes) -> list[bytes | None]:
        *ends, rest = part.split(b"\n")
        lines: list[bytes | None] = []
        for end in ends:
            self._add(end)
            lines.append(self._taken())
        self._add(rest)
        return lines

    def _add(self, part: bytes) -> None:
        self._length += len(part)
        if self._length > self._most:
            self._parts = []
        elif part:
            self._parts.append(part)

    def _taken(self) -> bytes | None:
        line = None if self._length > self._most else b"".join(self._parts)
        self._parts, self._length = [], 0
        return line
