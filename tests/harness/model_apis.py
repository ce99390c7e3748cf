"""A double of the model interfaces of the programs: Anthropic's messages and OpenAI's responses, on loopback.

It is no model. It keeps what it is sent, calls the tools that the test scripted, and says the same few words otherwise.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from harness.wire_messages import message, message_stream
from harness.wire_responses import response_stream

SAID = "Noted, all is done."
"""What the double says where nothing else was scripted: nothing that would be worth a memory."""


@dataclass(frozen=True)
class Tool:
    """A tool as the program declared it to the model; ``namespace`` is how Codex groups those of one server."""

    name: str
    namespace: str | None = None

    @property
    def full(self) -> str:
        return f"{self.namespace}__{self.name}" if self.namespace else self.name


@dataclass(frozen=True)
class Calls:
    """The model wants ``tool`` (the end of its name) with ``arguments``."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Begins:
    """The model says ``text`` and is never done, until the program hangs up: a person interrupts it."""

    text: str


Step = Calls | Begins | str


@dataclass(frozen=True)
class Asked:
    """One request for an answer, as it came in."""

    path: str
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        """Every text that the model reads, in its order: instructions first."""
        head = self.body.get("system", self.body.get("instructions", ""))
        return [*_texts(head), *_texts(self.body.get("messages", self.body.get("input", [])))]

    @property
    def read(self) -> str:
        return "\n".join(self.texts)

    @property
    def tools(self) -> list[Tool]:
        return list(_tools(self.body.get("tools") or []))

    @property
    def is_a_turn(self) -> bool:
        """A turn of the agent, and not one of the small requests beside it: titles, counts, quota."""
        return bool(self.tools)

    @property
    def results(self) -> list[str]:
        """What the tools that the model called gave back."""
        return [text for item in self._items() if _is_result(item) for text in _texts(item.get("content", item.get("output")))]

    def _items(self) -> Iterator[dict[str, Any]]:
        for item in self.body.get("messages", self.body.get("input", [])):
            if isinstance(item, dict):
                yield item
                if isinstance(item.get("content"), list):
                    yield from (part for part in item["content"] if isinstance(part, dict))


@dataclass
class ModelApis:
    """``with ModelApis() as model: model.will(Calls("recall", {…}), "done")``: one step for each request of a turn."""

    asked: list[Asked] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    """Requests that no model interface has."""
    broken_off: list[str] = field(default_factory=list)
    """Answers in which the program hung up before their end."""

    def __enter__(self) -> "ModelApis":
        self._script: list[Step] = []
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def will(self, *steps: Step) -> None:
        """What the next turns are answered with; afterwards they get ``SAID``."""
        with self._lock:
            self._script = list(steps)

    def script(self) -> list[Step]:
        """What is still to come of it."""
        with self._lock:
            return list(self._script)

    @property
    def turns(self) -> list[Asked]:
        return [a for a in self.asked if a.is_a_turn]

    @property
    def turn(self) -> Asked:
        """The only turn there was, or the first of it where tools were called."""
        assert self.turns, [a.path for a in self.asked]
        return self.turns[0]

    def next_step(self, asked: Asked) -> tuple[Tool, Mapping[str, Any]] | Begins | str:
        with self._lock:
            self.asked.append(asked)
            if not asked.is_a_turn or not self._script:
                return SAID
            step = self._script.pop(0)
        if not isinstance(step, Calls):
            return step
        found = [t for t in asked.tools if t.full == step.tool or t.full.endswith(f"__{step.tool}")]
        return (found[0], step.arguments) if found else f"There is no tool {step.tool}."


def _texts(value: Any) -> list[str]:
    """All texts of a system prompt, of messages or of their parts."""
    match value:
        case str():
            return [value]
        case list():
            return [text for part in value for text in _texts(part)]
        case dict():
            return [text for key in ("text", "content", "output") if key in value for text in _texts(value[key])]
        case _:
            return []


def _tools(declared: list[dict[str, Any]], namespace: str | None = None) -> Iterator[Tool]:
    for tool in declared:
        if "tools" in tool:
            yield from _tools(tool["tools"], tool.get("name"))
        else:
            yield Tool(tool.get("name") or tool.get("type", ""), namespace)


def _is_result(item: dict[str, Any]) -> bool:
    return item.get("type") in ("tool_result", "function_call_output", "custom_tool_call_output")


def _written(events: Iterator[dict[str, Any]]) -> bytes:
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


def _begun(events: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """As far as the first words of it."""
    for event in events:
        yield event
        if event["type"].endswith("_delta") or event["type"].endswith(".delta"):
            return


def _handler(model: ModelApis) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            path = self.path.split("?")[0]
            with suppress(OSError):  # a program that ends does not wait for the answer
                if path.endswith("/messages/count_tokens"):
                    self._json({"input_tokens": len(raw) // 4})
                elif path.endswith("/messages"):
                    self._messages(json.loads(raw))
                elif path.endswith("/responses"):
                    self._answer(response_stream, model.next_step(Asked(path, json.loads(raw))))
                else:
                    self._unknown()

        def do_GET(self) -> None:
            if self.path.split("?")[0].endswith("/models"):
                self._json({"data": [], "models": [], "has_more": False})
            else:
                self._unknown()

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _messages(self, body: dict[str, Any]) -> None:
            step = model.next_step(Asked(self.path, body))
            if body.get("stream") or isinstance(step, Begins):
                self._answer(message_stream, step)
            else:
                self._json(message(step))

        def _unknown(self) -> None:
            model.strange.append(f"{self.command} {self.path}")
            self._json({"error": {"type": "not_found_error", "message": "the double has no such path"}}, 404)

        def _json(self, body: Any, status: int = 200) -> None:
            raw = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def _answer(
            self, stream: Callable[[Any], Iterator[dict[str, Any]]], step: tuple[Tool, Mapping[str, Any]] | Begins | str
        ) -> None:
            if isinstance(step, Begins):
                self._begin(_begun(stream(step.text)))
                model.broken_off.append(step.text)
            else:
                self._stream(stream(step))

        def _begin(self, events: Iterator[dict[str, Any]]) -> None:
            self.close_connection = True
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(_written(events))
            with suppress(OSError):
                self.rfile.read(1)  # nothing comes on this way any more but its end

        def _stream(self, events: Iterator[dict[str, Any]]) -> None:
            raw = _written(events)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler
