"""One question to the server and its answer, over a plain socket: the HTTP client of the standard library takes 20 ms to load.

Nothing here looks at a clock: whoever calls ends the process at its deadline.
"""

from __future__ import annotations

from .faults import Fault, Ignored

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable
else:
    import _socket as socket  # the module around it brings 10 ms of enumerations and selectors

BOTH_WAYS = socket.SHUT_RDWR
MOST = 256 * 1024
"""Bytes of an answer, and of its head."""


def ask(url: str, path: str, headers: list[tuple[str, bytes]], body: bytes) -> bytes:
    """The body of a 200. Redirects are not followed: a key goes to the server it is for. Proxies are not looked for."""
    status, answer = post(url, path, headers, body, Terms())
    if status != 200:
        raise Fault(f"http_{status}")
    return answer


class Terms:
    """What an exchange may take: ``connect`` and ``silence`` in seconds, for as long as it likes where there are none.

    ``most``: bytes of an answer. ``refusals``: whether the body of anything but a 200 is wanted. ``opened`` is told of the
    connection once there is one, so that somebody else can end it.
    """

    def __init__(
        self,
        connect: float | None = None,
        silence: float | None = None,
        most: int = MOST,
        refusals: bool = False,
        opened: Callable[[socket.socket], object] | None = None,
    ) -> None:
        self.connect, self.silence, self.most, self.refusals, self.opened = connect, silence, most, refusals, opened


def post(url: str, path: str, headers: list[tuple[str, bytes]], body: bytes, terms: Terms) -> tuple[int, bytes]:
    """The status of the answer, and its body."""
    secure, host, port, prefix = parts(url)
    lines = [b"POST %s HTTP/1.1" % (prefix + path).encode(), b"Host: %s" % as_authority(host, port, secure)]
    lines += [b"%s: %s" % (name.encode(), value) for name, value in headers]
    lines += [b"Content-Length: %d" % len(body), b"Connection: close", b"", b""]
    connection = _connected(host, port, secure, terms.connect)
    try:
        connection.settimeout(terms.silence)
        if terms.opened is not None:
            terms.opened(connection)
        with Ignored():  # it may have said no before it had everything
            connection.sendall(b"\r\n".join(lines) + body)
        try:
            return _answer(connection, terms)
        except ConnectionError:
            raise Fault("closed") from None
        except socket.timeout:
            raise Fault("timeout") from None
        except OSError:
            raise Fault("broken") from None
    finally:
        connection.close()


def parts(url: str) -> tuple[bool, str, int, str]:
    """Whether it is safe, host, port, and what stands before every path. Fault for what is no address."""
    scheme, found, rest = url.strip().rstrip("/").partition("://")
    authority, slash, prefix = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, ""
    secure = scheme.lower() == "https"
    plain = host[1:-1] if host[:1] + host[-1:] == "[]" else host
    of_v6 = plain != host
    known = not port or (port.isascii() and port.isdigit() and len(port) < 6 and int(port) <= 65535)
    if not (found and (secure or scheme.lower() == "http") and plain and _bare(rest) and "@" not in authority and known):
        raise Fault("bad_url", counts=False)
    if of_v6 != (":" in plain) or set(plain) & set("[]"):
        raise Fault("bad_url", counts=False)
    number = int(port) if port else (443 if secure else 80)
    return secure, plain, number, slash + prefix


def _bare(text: str) -> bool:
    return text.isascii() and text.isprintable() and not set(text) & set(" ?#\\")


def as_authority(host: str, port: int, secure: bool) -> bytes:
    """As a server is named in a request: the port only where it is not the scheme's own."""
    shown = f"[{host}]" if ":" in host else host
    return (shown if port == (443 if secure else 80) else f"{shown}:{port}").encode()


def _connected(host: str, port: int, secure: bool, patience: float | None) -> socket.socket:
    try:
        connection = _reached(host, port, patience)
    except socket.gaierror:
        raise Fault("unresolved") from None
    except ConnectionRefusedError:
        raise Fault("refused") from None
    except (OSError, UnicodeError):
        raise Fault("unreachable") from None
    if not secure:
        return connection
    import socket as whole  # noqa: PLC0415
    import ssl  # noqa: PLC0415 - 40 ms, which a server on loopback does not cost

    connection = whole.socket(fileno=connection.detach())
    connection.settimeout(patience)
    try:
        return ssl.create_default_context().wrap_socket(connection, server_hostname=host)
    except (OSError, ValueError):  # an SSLError is an OSError
        raise Fault("tls") from None


def _reached(host: str, port: int, patience: float | None) -> socket.socket:
    """Over the first of its addresses that takes us; the error of the first one where none does."""
    first: OSError | None = None
    # In bytes, or the encoding of international names would be loaded for every name.
    for family, kind, protocol, _, address in socket.getaddrinfo(host.encode(), port, 0, socket.SOCK_STREAM):
        connection = socket.socket(family, kind, protocol)
        try:
            connection.settimeout(patience)
            connection.connect(address)
        except OSError as fault:
            connection.close()
            first = first or fault
        else:
            return connection
    raise first or OSError(host)


def _answer(connection: socket.socket, terms: Terms) -> tuple[int, bytes]:
    buffer = _Buffer(connection, terms.most)
    status, headers = _head(buffer)
    while 100 <= status < 200:
        status, headers = _head(buffer)
    if status != 200 and not terms.refusals:
        return status, b""
    if "chunked" in headers.get(b"transfer-encoding", b"").decode("latin-1").lower():
        return status, _chunks(buffer)
    length = headers.get(b"content-length")
    if length is None:
        return status, buffer.rest()
    if not length.isdigit() or len(length) > 12:
        raise Fault("rubbish")
    return status, buffer.exactly(int(length))


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
        if length < 0 or len(body) + length > buffer.most:
            raise Fault("too_large")
        if not length:
            return body
        body += buffer.exactly(length)
        buffer.line()


class _Buffer:
    """What has come and was not taken yet; no more of it in all than ``most`` for the head and as much for the body."""

    def __init__(self, connection: socket.socket, most: int) -> None:
        self.most = most
        self._connection = connection
        self._have = b""
        self._taken = 0

    def line(self) -> bytes:
        while b"\n" not in self._have:
            self._more()
        line, _, self._have = self._have.partition(b"\n")
        return line.rstrip(b"\r")

    def exactly(self, length: int) -> bytes:
        if length > self.most:
            raise Fault("too_large")
        while len(self._have) < length:
            self._more()
        body, self._have = self._have[:length], self._have[length:]
        return body

    def rest(self) -> bytes:
        try:
            while len(self._have) <= self.most:
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
        if self._taken > 2 * self.most:
            raise Fault("too_large")
