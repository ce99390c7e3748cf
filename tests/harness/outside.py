"""A double of the way out: a proxy that lets nothing through and remembers who asked for what."""

import socket
import threading
from contextlib import suppress
from dataclasses import dataclass, field


@dataclass
class Outside:
    """``with Outside() as outside``: all programs are told to reach the world through it."""

    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> "Outside":
        self._listener = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._refuse, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    @property
    def environment(self) -> dict[str, str]:
        url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        here = "127.0.0.1,localhost"
        both = {"HTTP_PROXY": url, "HTTPS_PROXY": url, "ALL_PROXY": url, "NO_PROXY": here}
        return both | {name.lower(): value for name, value in both.items()}

    def _refuse(self) -> None:
        with suppress(OSError):  # the end of the tests closes the listener
            while True:
                connection, _ = self._listener.accept()
                with suppress(OSError), connection:
                    connection.settimeout(5)
                    self.asked.append(connection.recv(4096).split(b"\r\n")[0].decode("latin-1"))
                    connection.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
