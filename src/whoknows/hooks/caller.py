"""Who asks, and where: address, key and agent as the environment says them, and nothing of it in a file or an argument."""

from __future__ import annotations

import os

from . import pins
from .faults import Fault

PROGRAMS = ("claude-code", "codex", "pi")
"""Those that can be connected."""
DEFAULT_URL = "http://127.0.0.1:8765"


class Caller:
    """``url`` and ``key`` count where the environment has none; ``agent`` before what the environment says.

    ``program``: the one that was connected, and then only to its servers; without one a person started this by hand.
    """

    def __init__(self, url: str = "", agent: str = "", key: str = "", program: str = "") -> None:
        self.url = _said("WHOKNOWS_URL") or url or DEFAULT_URL
        self.key = _said("WHOKNOWS_KEY") or key
        self._agent = agent or _said("WHOKNOWS_AGENT")
        self._program = program

    def headers(self) -> list[tuple[str, bytes]]:
        """Those of a request with a JSON body. Fault where none can be made."""
        if not self.key:
            raise Fault("no_key", counts=False)
        if self._program:
            pins.check(self._program, self.url)
        headers = [
            ("Authorization", b"Bearer " + _value(self.key)),
            ("X-Machine", _value(os.uname().nodename)),
            ("Content-Type", b"application/json"),
            ("Accept", b"application/json"),
            ("Accept-Encoding", b"identity"),
            ("User-Agent", b"whoknows-hook"),
        ]
        return [*headers, ("X-Agent", _value(self._agent))] if self._agent else headers


def _said(name: str) -> str:
    return os.environ.get(name, "").strip()


def _value(text: str) -> bytes:
    """The value of a header. Names may hold any characters but control characters, and travel as UTF-8."""
    value = text.encode("utf-8", "surrogateescape")
    if any(byte < 32 or byte == 127 for byte in value):
        raise Fault("bad_setting", counts=False)
    return value
