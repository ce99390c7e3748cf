"""A server on loopback that fails in one way, to find out what that costs a prompt."""

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass

NEVER = 60.0
"""Seconds after which a connection that gets no answer is let go."""


@dataclass(frozen=True, slots=True)
class Case:
    """``codes``: what the log may say."""

    name: str
    codes: tuple[str, ...]
    play: Callable[[socket.socket, threading.Event], object] | None


def _answer(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}", *headers, "", ""]
    return "\r\n".join(lines).encode() + body


def _says(said: bytes) -> Callable[[socket.socket, threading.Event], object]:
    return lambda connection, _: connection.sendall(said)


def _after(seconds: float, said: bytes) -> Callable[[socket.socket, threading.Event], object]:
    def play(connection: socket.socket, over: threading.Event) -> None:
        if not over.wait(seconds):
            connection.sendall(said)

    return play


def _dripping(said: bytes) -> Callable[[socket.socket, threading.Event], object]:
    def play(connection: socket.socket, over: threading.Event) -> None:
        for byte in said:
            connection.sendall(bytes([byte]))
            if over.wait(0.3):
                return

    return play


def context(text: str, event: str = "UserPromptSubmit") -> bytes:
    said = {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}
    return _answer("200 OK", json.dumps(said).encode(), "Content-Type: application/json")


GOOD = context("what is known")
HUGE = b'{"systemMessage": "' + b"x" * (1 << 20) + b'"}'
CASES = (
    Case("refused", ("refused",), None),
    Case("accepts, never answers", ("timeout",), _after(NEVER, b"")),
    Case("answers after 3.5 s", ("timeout",), _after(3.5, GOOD)),
    Case("drips a byte each 0.3 s", ("timeout",), _dripping(GOOD)),
    Case("blackholed", ("timeout",), None),
    Case("name does not resolve", ("unresolved", "timeout"), None),
    Case("500", ("http_500",), _says(_answer("500 Internal Server Error", b'{"detail": "no"}'))),
    Case("401", ("http_401",), _says(_answer("401 Unauthorized", b'{"code": "bad_key"}'))),
    Case("redirect", ("http_307",), _says(_answer("307 Temporary Redirect", b"", "Location: http://127.0.0.1:9/"))),
    Case("no HTTP", ("rubbish",), _says(b"SSH-2.0-nothing\r\n\r\n")),
    Case("HTML", ("not_json",), _says(_answer("200 OK", b"<html>Sign in</html>", "Content-Type: text/html"))),
    Case("a list", ("wrong_form",), _says(_answer("200 OK", b"[1, 2]"))),
    Case("another event's output", ("wrong_form",), _says(context("for the start", "SessionStart"))),
    Case("deeply nested", ("not_json",), _says(_answer("200 OK", b"[" * 100_000))),
    Case("huge", ("too_large",), _says(_answer("200 OK", HUGE))),
    Case("huge, without a length", ("too_large",), _says(b"HTTP/1.1 200 OK\r\n\r\n" + HUGE)),
    Case("too much context", ("too_long",), _says(context("x" * 10_001))),
    Case("cut in the middle", ("cut",), _says(GOOD[:-20])),
    Case("length too small", ("not_json",), _says(_answer("200 OK", b'{"systemMessage": "x"}', length=10))),
    Case("length is no number", ("rubbish",), _says(b"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}")),
    Case("hangs up", ("closed",), _says(b"")),
)


@contextlib.contextmanager
def failing(case: Case) -> Generator[str]:
    """The address at which it fails."""
    if case.name == "name does not resolve":
        yield "http://memory.invalid:8765"
        return
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        if case.name == "blackholed":
            _fill(listening, stack)
        elif case.play is not None:
            stack.enter_context(_playing(listening, case.play))
        yield url


@contextlib.contextmanager
def answering(said: bytes) -> Generator[tuple[str, list[bytes]]]:
    """A server that always says the same, and what it was sent."""
    sent: list[bytes] = []
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        with _playing(listening, _says(said), sent):
            yield f"http://127.0.0.1:{listening.getsockname()[1]}", sent


@contextlib.contextmanager
def _playing(
    listening: socket.socket, play: Callable[[socket.socket, threading.Event], object], sent: list[bytes] | None = None
) -> Generator[None]:
    over = threading.Event()
    listening.listen(128)

    def serve() -> None:
        while True:
            connection, _ = listening.accept()
            if over.is_set():
                connection.close()
                return
            threading.Thread(target=speak, args=(connection,), daemon=True).start()

    def speak(connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            request = _request(connection)
            if sent is not None:
                sent.append(request)
            play(connection, over)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        socket.create_connection(listening.getsockname()).close()
        thread.join()


def _request(connection: socket.socket) -> bytes:
    """Head and body, or a reset would take the place of what is said before all of it was read."""
    have = b""
    while b"\r\n\r\n" not in have:
        part = connection.recv(65536)
        if not part:
            return have
        have += part
    head, _, body = have.partition(b"\r\n\r\n")
    length = next((int(x.partition(b":")[2]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        part = connection.recv(65536)
        if not part:
            break
        body += part
    return head + b"\r\n\r\n" + body


def _fill(listening: socket.socket, stack: contextlib.ExitStack) -> None:
    """A queue of connections that is full: the system throws away what else knocks, as a firewall does."""
    listening.listen(0)
    for _ in range(4):
        waiting = stack.enter_context(socket.socket())
        waiting.setblocking(False)
        waiting.connect_ex(listening.getsockname())
    time.sleep(0.05)
