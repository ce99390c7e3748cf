"""Servers as they should not be, on loopback."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BAD = ("is away", "never answers", "answers 500", "answers rubbish", "drips", "hangs up")
_HEAD = b"Connection: close\r\nContent-Length: "
_ANSWERS = {
    "answers 500": b"HTTP/1.1 500 Internal Server Error\r\n" + _HEAD + b"4\r\n\r\noops",
    "answers rubbish": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n" + _HEAD + b"17\r\n\r\n<html>5433</html>",
    "hangs up": b"",
}


@contextmanager
def bad_server(how: str) -> Iterator[str]:
    """Its address. It has gone by the end of the block, and so has everybody who waited for it."""
    listener = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    over = threading.Event()
    if how == "is away":
        listener.close()
    else:
        threading.Thread(target=_serve, args=(listener, how, over), daemon=True).start()
    try:
        yield url
    finally:
        over.set()
        listener.close()


def _serve(listener: socket.socket, how: str, over: threading.Event) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=_answer, args=(connection, how, over), daemon=True).start()


def _answer(connection: socket.socket, how: str, over: threading.Event) -> None:
    with suppress(OSError), connection:
        connection.recv(65536)
        match how:
            case "never answers":
                over.wait()
            case "drips":
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n")
                while not over.wait(0.3):
                    connection.sendall(b" ")
            case _:
                connection.sendall(_ANSWERS[how])
