"""A circuit breaker between processes: after some faults nobody asks for a while, and then one asks for all.

What was observed is a file of lines, added to and never changed: ``f TIME`` for a fault, ``l TIME`` for an answer that was
waited for in vain, ``p TIME NAME`` for who tries again.
Everybody who reads the same lines comes to the same answer, so that no lock is needed.
"""

from __future__ import annotations

import os

from . import state

FAULTS, WITHIN, REST = 3, 60.0, 30.0
"""So many faults, within so many seconds, and so many seconds of rest."""
PAUSE = 5.0
"""Seconds in which nobody asks after waiting in vain: the events of one turn follow each other, and one of them may wait."""
_READ, _LONG = 4096, 2048


class Breaker:
    """``path``: the file of this server; None where there is no place for one, and then everybody always asks."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._trying = False
        self._long = False

    def lets_ask(self, now: float) -> bool:
        """Whether to ask. One of those that ask this after the rest hears yes, and finds out for all."""
        if self._path is None:
            return True
        faults, tries, late = self._observed(now)
        if now - late < PAUSE:
            return False
        if not _too_many(faults):
            return True
        if now - max([faults[-1], *(at for at, _ in tries)]) < REST:
            return False
        name = os.urandom(6).hex()
        if not state.append(self._path, f"p {now:.3f} {name}\n".encode()):
            return True  # or a folder that became read-only would keep memory off for ever
        self._trying = True
        first = [who for at, who in self._observed(now)[1] if now - at < REST][:1]
        return first == [name]

    def fault(self, now: float, late: bool = False) -> None:
        if self._path is None:
            return
        line = f"{'l' if late else 'f'} {now:.3f}\n".encode()
        if self._trying:
            state.replace(self._path, line * FAULTS)
        else:
            state.append(self._path, line)

    def over(self) -> None:
        """An answer came on another way: whatever was found out before is not so any more."""
        if self._path is not None:
            state.remove(self._path)

    def fine(self) -> None:
        if self._path is not None and (self._trying or self._long):
            state.remove(self._path)

    def rests_until(self, now: float) -> float | None:
        """When somebody asks again; None where everybody may."""
        if self._path is None:
            return None
        faults, tries, late = self._observed(now)
        until = max([*faults[-1:], *(at for at, _ in tries)], default=0.0) + REST if _too_many(faults) else late + PAUSE
        return until if until > now else None

    def _observed(self, now: float) -> tuple[list[float], list[tuple[float, str]], float]:
        """Faults, who tried again, and when an answer was last waited for in vain (0.0: never)."""
        assert self._path is not None
        content = state.tail(self._path, _READ)
        self._long = len(content) > _LONG
        faults: list[float] = []
        tries: list[tuple[float, str]] = []
        late = 0.0
        for line in content.decode("ascii", "replace").splitlines():
            words = line.split(" ")
            try:
                at = float(words[1])
            except (IndexError, ValueError):
                continue
            if not 0 < at <= now + 1:
                continue  # a clock that was set back must not mean a rest of hours
            if words[0] in ("f", "l"):
                faults.append(at)
                late = max(late, at) if words[0] == "l" else late
            elif words[0] == "p" and len(words) == 3:
                tries.append((at, words[2]))
        return faults, tries, late


def of_server(folder: str | None, url: str, key: str) -> Breaker:
    """What was found out with ``key``: a server that refuses one key may well take another. A hash of both stands in the name,
    since addresses may look alike there.
    """
    if folder is None:
        return Breaker(None)
    known = url.rstrip("/")
    return Breaker(os.path.join(folder, f"breaker-{state.server_name(known)}-{_hashed(known + chr(10) + key)}"))


def _hashed(text: str) -> str:
    try:
        from _blake2 import blake2b  # noqa: PLC0415 - hashlib takes ten times as long to load as this
    except ImportError:
        from hashlib import blake2b  # noqa: PLC0415
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()


def _too_many(faults: list[float]) -> bool:
    return len(faults) >= FAULTS and faults[-1] - faults[-FAULTS] <= WITHIN
