"""Mirrors of remote repositories: fetched over https from public addresses, without credentials, into the data directory."""

import asyncio
import hashlib
import ipaddress
import socket
import time
from pathlib import Path
from urllib.parse import urlsplit

from whoknows.errors import SourceUnreadable
from whoknows.sources.git_program import git

HEAD = "refs/whoknows/head"
"""The remote's HEAD, as it was fetched."""
_FETCH_SECONDS = 120.0
_CAREFUL = ("http.followRedirects=false", "http.lowSpeedLimit=1000", "http.lowSpeedTime=20", "fetch.fsckObjects=true")
_LATELY = 60.0
"""Seconds within which an unknown revision is not looked for once more."""


class Mirrors:
    """``protocol`` is https; ``file`` is for tests, which have no server on a public address."""

    def __init__(self, directory: Path, protocol: str = "https") -> None:
        self._directory = directory
        self._protocol = protocol
        self._locks: dict[str, asyncio.Lock] = {}
        self._fetched: dict[str, float] = {}

    def takes(self, locator: str) -> bool:
        return locator.startswith(f"{self._protocol}://") and locator_fault(locator, self._protocol) is None

    def place(self, locator: str) -> Path:
        return self._directory / f"{hashlib.sha256(locator.encode()).hexdigest()[:40]}.git"

    async def fetch(self, locator: str, *, lately: bool = False) -> bool:
        """Bring the mirror up to date. ``lately``: not where that was done a moment ago; False then.

        Raises SourceUnreadable where the remote does not answer, and for one that is not at a public address.
        """
        lock = self._locks.setdefault(locator, asyncio.Lock())
        async with lock:
            if lately and time.monotonic() - self._fetched.get(locator, -_LATELY) < _LATELY:
                return False
            self._fetched[locator] = time.monotonic()
            pinned = await self._pinned(locator)
            place = self.place(locator)
            if not (place / "objects").is_dir():
                await asyncio.to_thread(self._directory.mkdir, parents=True, exist_ok=True, mode=0o700)
                await git(place, ["init", "--quiet", "--bare", "--template=", str(place)])
            asked = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head", "--prune"]
            wanted = [f"+HEAD:{HEAD}", "+refs/heads/*:refs/heads/*"]
            ended = await git(
                place,
                [*asked, "--end-of-options", locator, *wanted],
                seconds=_FETCH_SECONDS,
                protocol=self._protocol,
                settings=(*_CAREFUL, *pinned),
            )
            if ended.code != 0:
                raise SourceUnreadable("the remote repository does not answer, or may not be read without credentials")
            return True

    async def _pinned(self, locator: str) -> list[str]:
        """That git connects to the very address that was looked at: a name may mean another a moment later."""
        if self._protocol != "https":
            return []
        parts = urlsplit(locator)
        host, port = parts.hostname or "", parts.port or 443
        try:
            loop = asyncio.get_running_loop()
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as e:
            raise SourceUnreadable("the remote repository does not answer, or may not be read without credentials") from e
        addresses = sorted({str(f[4][0]) for f in found})
        if not addresses or not all(_is_public(a) for a in addresses):
            raise SourceUnreadable("the remote repository does not answer, or may not be read without credentials")
        return [f"http.curloptResolve={host}:{port}:{','.join(addresses)}"]


def _is_public(address: str) -> bool:
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_global


def locator_fault(locator: str, protocol: str = "https") -> str | None:
    """Why a remote cannot be called that, or None."""
    try:
        parts = urlsplit(locator)
        port = parts.port
    except ValueError:
        return "this is no address"
    if parts.scheme != protocol:
        return "remote repositories are read over https only"
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        return "leave user names and passwords out of the locator: they would be kept, and shown"
    if parts.query or parts.fragment:
        return "leave ? and # out of the locator"
    if not (parts.hostname or protocol == "file") or port == 0 or any(c.isspace() or ord(c) < 0x20 for c in locator):
        return "this is no address"
    return None
