"""One question to the server and its answer, over a plain socket: the HTTP client of the standard library takes 20 ms to load.

Nothing here looks at a clock: whoever calls ends the process at its deadline.
"""

from __future__ import annotations

import socket
from contextlib import suppress

from .faults import Fault

MOST = 256 * 1024
"""Bytes of an answer, and of its head."""


def ask(url: str, path: str, headers: list[tuple[str, bytes]], body: bytes) -> bytes:
    """The body of a 200. Redirects are not followed: a key goes to the server it is for. Proxies are not looked for."""
    secure, host, port, prefix = _parts(url)
    lines = [b"POST %s HTTP/1.1" % (prefix + path).encode(), b"Host: %s" % _authority(host, port, secure)]
    lines += [b"%s: %s" % (name.encode(), value) for name, value in headers]
    lines += [b"Content-Length: %d" % len(body), b"Connection: close", b"", b""]
    with _connected(host, port, secure) as connection:
        with suppress(OSError):  # it may have said no before it had everything
            connection.sendall(b"\r\n".join(lines) + body)
        try:
            return _answer(connection)
        except ConnectionError:
            raise Fault("closed") from None
        except OSError:
            raise Fault("broken") from None


def _parts(url: str) -> tuple[bool, str, int, str]:
    scheme, found, rest = url.strip().rstrip("/").partition("://")
    authority, slash, prefix = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, ""
    secure = scheme.lower() == "https"
    number = int(port) if port.isascii() and port.isdigit() and len(port) < 6 else (443 if secure else 80)
    plain = host.strip("[]")
    if not (found and (secure or scheme.lower() == "http") and plain and _bare(rest) and "@" not in authority):
        raise Fault("bad_url", counts=False)
    if (colon and port and not port.isdigit()) or number > 65535:
        raise Fault("bad_url", counts=False)
    return secure, plain, number, slash + prefix


def _bare(text: str) -> bool:
    return text.isascii() and text.isprintable() and not set(text) & set(" ?#\\")


def _authority(host: str, port: int, secure: bool) -> bytes:
    shown = f"[{host}]" if ":" in host else host
    return (shown if port == (443 if secure else 80) else f"{shown}:{port}").encode()


def _connected(host: str, port: int, secure: bool) -> socket.socket:
    try:
        connection = socket.create_connection((host, port))
    except socket.gaierror:
        raise Fault("unresolved") from None
    except ConnectionRefusedError:
        raise Fault("refused") from None
    except (OSError, UnicodeError):
        raise Fault("unreachable") from None
    if not secure:
        return connection
    import ssl  # noqa: PLC0415 - 40 ms, which a server on loopback does not cost

    try:
        return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    except (OSError, ValueError):  # an SSLError is an OSError
        raise Fault("tls") from None


def _answer(connection: socket.socket) -> bytes:
    buffer = _Buffer(connection)
    status, headers = _head(buffer)
    while 100 <= status < 200:
        status, headers = _head(buffer)
    if status != 200:
        raise Fault(f"http_{status}")
    if "chunked" in headers.get(b"transfer-encoding", b"").decode("latin-1").lower():
        return _chunks(buffer)
    length = headers.get(b"content-length")
    if length is None:
        return buffer.rest()
    if not length.isdigit() or len(length) > 12:
        raise Fault("rubbish")
    return buffer.exactly(int(length))


def _head(buffer: _Buffer) -> tuple[int, dict[bytes, bytes]]:
    words = buffer.line().split(None, 2)
    if len(words) < 2 or not words[0].startswith(b"HTTP/1.") or not (words[1].isdigit() and len(words[1]) == 3):
        raise Fault("rubbish")
    headers: dict[bytes, bytes] = {}
    line = buffer.line()
    while line:
        name, _, value = line.partition(b":")
        headers[name.strip().lower()] = value.strip()
        line = buffer.line()
    return int(words[1]), headers


def _chunks(buffer: _Buffer) -> bytes:
    body = b""
    while True:
        size = buffer.line().partition(b";")[0].strip()
        try:
            length = int(size, 16)
        except ValueError:
            raise Fault("rubbish") from None
        if length < 0 or len(body) + length > MOST:
            raise Fault("too_large")
        if not length:
            return body
        body += buffer.exactly(length)
        buffer.line()


class _Buffer:
    """What has come and was not taken yet; no more of it in all than ``MOST`` for the head and as much for the body."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._have = b""
        self._taken = 0

    def line(self) -> bytes:
        while b"\n" not in self._have:
            self._more()
        line, _, self._have = self._have.partition(b"\n")
        return line.rstrip(b"\r")

    def exactly(self, length: int) -> bytes:
        if length > MOST:
            raise Fault("too_large")
        while len(self._have) < length:
            self._more()
        body, self._have = self._have[:length], self._have[length:]
        return body

    def rest(self) -> bytes:
        try:
            while len(self._have) <= MOST:
                self._more()
        except Fault as fault:
            if fault.code == "cut":
                return self._have
            raise
        raise Fault("too_large")

    def _more(self) -> None:
        part = self._connection.recv(65536)
        if not part:
            raise Fault("cut" if self._taken else "closed")
        self._have += part
        self._taken += len(part)
        if self._taken > 2 * MOST:
            raise Fault("too_large")
