"""A double of a language model: an OpenAI-compatible endpoint on loopback that keeps what it was sent and plays a scene.

It is no model. What it answers is what the test told it to, and what is proved with it is what went over the wire.
"""

import json
import select
import socket
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE = 60.0
"""Seconds after which a scene that waits gives up, so that no test hangs."""


@dataclass
class Sent:
    """One request as it came in."""

    path: str
    authorization: str | None
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]

    @property
    def system(self) -> str:
        return "".join(m["content"] for m in self.messages if m["role"] == "system")

    @property
    def composed(self) -> str:
        """The texts of all messages, with an empty line between: what a model reads."""
        return "\n\n".join(m["content"] for m in self.messages)


class Stage:
    """The open answer of one request, to be played on by a scene."""

    def __init__(self, handler: BaseHTTPRequestHandler, double: "ModelDouble") -> None:
        self._handler = handler
        self._double = double

    def head(self, status: int = 200, content_type: str = "text/event-stream", **headers: str) -> None:
        self._handler.send_response(status)
        self._handler.send_header("Content-Type", content_type)
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.send_header("Transfer-Encoding", "chunked")
        self._handler.end_headers()

    def raw(self, data: bytes) -> None:
        """One chunk on the wire, sent at once."""
        try:
            self._handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self._handler.wfile.flush()
        except OSError:
            self._double.left.set()
            raise

    def event(self, data: Any) -> None:
        self.raw(b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n")

    def say(self, text: str) -> None:
        self.event(chunk({"content": text}))

    def finish(self, reason: str = "stop") -> None:
        self.event(chunk({}, reason))
        self.raw(b"data: [DONE]\n\n")
        self.close()

    def close(self) -> None:
        """The end of the body, as it should be."""
        self.raw(b"")

    def cut(self) -> None:
        """The end of the connection, as it should not be."""
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def whole(self, body: str | Mapping[str, Any], status: int = 200, content_type: str = "application/json", **h: str) -> None:
        self.head(status, content_type, **h)
        self.raw((body if isinstance(body, str) else json.dumps(body)).encode())
        self.close()

    def wait(self, event: threading.Event) -> None:
        """Until ``event`` is set; ends the scene, and says so, where the caller has left meanwhile."""
        connection = self._handler.connection
        for _ in range(int(PATIENCE / 0.02)):
            if event.wait(0.02):
                return
            if _is_gone(connection):
                self._double.left.set()
                raise ConnectionError("the caller has left")


Scene = Callable[[Stage], None]


@dataclass
class ModelDouble:
    """``double.plays(scene, …)``: one scene for each request, the last one for all that follow."""

    requests: list[Sent] = field(default_factory=list)
    scenes: list[Scene] = field(default_factory=lambda: [says("好的。")])
    reached: threading.Event = field(default_factory=threading.Event)
    """A scene came to the point where it waits."""
    go_on: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)
    """The caller went away in the middle."""

    def __enter__(self) -> "ModelDouble":
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Nobody listens any more: the next connection is refused."""
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def last(self) -> Sent:
        return self.requests[-1]

    def plays(self, *scenes: Scene) -> None:
        self.scenes = list(scenes)

    def next_scene(self) -> Scene:
        return self.scenes.pop(0) if len(self.scenes) > 1 else self.scenes[0]

    # Scenes that need the double's events.

    def says_and_waits(self, *pieces: str, then: Iterable[str] = ()) -> Scene:
        """Says ``pieces``, waits for ``go_on``, and says the rest."""

        def scene(stage: Stage) -> None:
            stage.head()
            for piece in pieces:
                stage.say(piece)
            self.reached.set()
            stage.wait(self.go_on)
            for piece in then:
                stage.say(piece)
            stage.finish()

        return scene

    def never_begins(self) -> Scene:
        """Takes the request, and says nothing."""

        def scene(stage: Stage) -> None:
            self.reached.set()
            stage.wait(self.go_on)

        return scene


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": "double", "choices": [choice]}


def says(*pieces: str, finish: str = "stop") -> Scene:
    """A model that streams, as it should."""

    def scene(stage: Stage) -> None:
        stage.head()
        for piece in pieces:
            stage.say(piece)
        stage.finish(finish)

    return scene


def says_at_once(text: str) -> Scene:
    """An endpoint that cannot stream: one JSON document."""
    message = {"role": "assistant", "content": text}
    return lambda stage: stage.whole({"id": "c", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})


def says_with_strange_fields(*pieces: str) -> Scene:
    """A dialect: comments, unknown fields and events, thoughts beside the answer, chunks without choices."""

    def scene(stage: Stage) -> None:
        stage.head()
        stage.raw(b": still thinking\n\n")
        stage.event(chunk({"reasoning_content": "let me think", "content": None}) | {"x_cache": {"hit": True}})
        for piece in pieces:
            stage.event(chunk({"content": piece, "annotations": [1]}) | {"nonce": "…"})
        stage.event({"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}})
        stage.finish()

    return scene


def says_byte_by_byte(text: str) -> Scene:
    """Every byte a chunk of its own: characters come in parts."""

    def scene(stage: Stage) -> None:
        stage.head()
        for byte in b"data: " + json.dumps(chunk({"content": text}), ensure_ascii=False).encode() + b"\n\n":
            stage.raw(bytes([byte]))
        stage.finish()

    return scene


def says_in_halves(before: str, character: str, after: str) -> Scene:
    """A character outside the basic plane, its two halves in two pieces, as careless endpoints cut it."""
    units = character.encode("utf-16-be")
    halves = [f"\\u{units[n : n + 2].hex()}" for n in (0, 2)]

    def scene(stage: Stage) -> None:
        stage.head()
        for escaped in (before + halves[0], halves[1] + after):
            stage.raw(b"data: " + json.dumps(chunk({"content": "@"})).replace("@", escaped).encode() + b"\n\n")
        stage.finish()

    return scene


def breaks_off(*pieces: str) -> Scene:
    """Says ``pieces``, and the connection is gone."""

    def scene(stage: Stage) -> None:
        stage.head()
        for piece in pieces:
            stage.say(piece)
        stage.cut()

    return scene


def ends_early(*pieces: str) -> Scene:
    """A stream that ends in good order, and yet before the answer did."""

    def scene(stage: Stage) -> None:
        stage.head()
        for piece in pieces:
            stage.say(piece)
        stage.close()

    return scene


def fails_in_the_stream(code: str, *pieces: str) -> Scene:
    def scene(stage: Stage) -> None:
        stage.head()
        for piece in pieces:
            stage.say(piece)
        stage.event({"error": {"message": "no", "type": code, "code": code}})
        stage.close()

    return scene


def refuses(status: int, code: str = "refused", message: str = "no", **headers: str) -> Scene:
    return lambda stage: stage.whole({"error": {"message": message, "type": code, "code": code}}, status, **headers)


def answers_html(status: int = 200) -> Scene:
    return lambda stage: stage.whole("<html><body>Bad gateway</body></html>", status, "text/html")


def answers_raw(body: str, content_type: str = "text/event-stream") -> Scene:
    return lambda stage: stage.whole(body, 200, content_type)


def has_no_choices() -> Scene:
    def scene(stage: Stage) -> None:
        stage.head()
        stage.event({"id": "c", "object": "chat.completion.chunk", "choices": []})
        stage.raw(b"data: [DONE]\n\n")
        stage.close()

    return scene


def calls_a_tool() -> Scene:
    call = {"index": 0, "id": "t", "type": "function", "function": {"name": "recall_everything", "arguments": "{}"}}

    def scene(stage: Stage) -> None:
        stage.head()
        stage.event(chunk({"tool_calls": [call]}))
        stage.finish("tool_calls")

    return scene


def never_ends(piece: str) -> Scene:
    def scene(stage: Stage) -> None:
        stage.head()
        while True:
            stage.say(piece)

    return scene


def _is_gone(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    try:
        return bool(readable) and not connection.recv(1, socket.MSG_PEEK)
    except OSError:  # a process that was killed leaves a reset, not an end
        return True


def _handler(double: ModelDouble) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            double.requests.append(Sent(self.path, self.headers.get("Authorization"), body))
            self.close_connection = True
            with suppress(OSError):  # the caller has left: `left` says so
                double.next_scene()(Stage(self, double))

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
