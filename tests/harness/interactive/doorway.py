"""A door between the programs and the server: shut and opened while they run, it remembers the events that came through."""

import json
import re
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

_HOOKS = b"POST /api/v1/hooks/"


@dataclass
class Doorway:
    """``with Doorway(server) as door``: ``door.url`` leads to ``server``. Nothing on the way is changed."""

    server: str
    heard: list[dict[str, Any]] = field(default_factory=list)
    """The events of hooks that went through, in the order in which they were asked, with ``program`` beside their fields."""

    def __enter__(self) -> "Doorway":
        there = urlsplit(self.server)
        self._there = (there.hostname or "", there.port or 0)
        self._open: set[socket.socket] = set()
        self._silent = False
        self._lock = threading.Lock()
        self._listen(0)
        self._port = self._listener.getsockname()[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def shut(self) -> None:
        """The server is away: who comes is refused, who is there is cut off."""
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # or whoever waits in accept would still let one in
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def opens(self) -> None:
        """The server is back, at the same address."""
        self._listen(self._port)

    def falls_silent(self) -> None:
        """Who is there is cut off; who comes is let in, and hears nothing."""
        self.shut()
        self._silent = True
        self._listen(self._port)

    def named(self, event: str) -> list[dict[str, Any]]:
        return [e for e in self.heard if e.get("hook_event_name") == event]

    def _listen(self, port: int) -> None:
        self._listener = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                if self._silent:
                    with self._lock:
                        self._open.add(connection)
                    continue
                threading.Thread(target=self._lead, args=(connection,), daemon=True).start()

    def _lead(self, near: socket.socket) -> None:
        with suppress(OSError), near, socket.create_connection(self._there) as far:
            with self._lock:
                self._open |= {near, far}
            back = threading.Thread(target=_carry, args=(far, near, None), daemon=True)
            back.start()
            _carry(near, far, _Listener(self.heard))
            back.join()
            with self._lock:
                self._open -= {near, far}


class _Listener:
    """Puts the event of a connection into ``heard`` when the last byte of it has come; hooks open one for each."""

    def __init__(self, heard: list[dict[str, Any]]) -> None:
        self._heard = heard
        self._said = bytearray()
        self._listens = True

    def __call__(self, part: bytes) -> None:
        if not self._listens:
            return
        self._said += part
        head, end, body = bytes(self._said).partition(b"\r\n\r\n")
        self._listens = self._said.startswith(_HOOKS[: len(self._said)])
        if not self._listens or not end:
            return
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if length is not None and len(body) >= int(length[1]):
            program = head[len(_HOOKS) :].split(b" ", 1)[0].decode()
            self._heard.append({**json.loads(body), "program": program})
            self._listens = False


def _carry(source: socket.socket, to: socket.socket, listener: Callable[[bytes], None] | None) -> None:
    with suppress(OSError):
        while part := source.recv(65536):
            if listener is not None:
                listener(part)
            to.sendall(part)
    with suppress(OSError):
        to.shutdown(socket.SHUT_WR)
