"""The stand-in for the tools: it describes them at once, hands calls on in time, and takes whatever a program says."""

import json
import os
import resource
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socket import create_server
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION

from hooks.faulty import CASES, Case, failing
from whoknows.hooks import described, pins
from whoknows.hooks.breaker import Breaker, of_server
from whoknows.hooks.caller import Caller
from whoknows.hooks.calls import MOST as AT_ONCE
from whoknows.hooks.calls import Calls, Patience
from whoknows.hooks.faults import Fault
from whoknows.hooks.lines import Lines
from whoknows.hooks.log import NAME as LOG
from whoknows.hooks.relay import serve
from whoknows.hooks.rpc import Asked
from whoknows.hooks.state import replace

KEY = f"wk_of-a-test-{os.getpid()}"
NOBODY = "http://127.0.0.1:1"
SOON = Patience(connect=0.3, answer=0.3, resting=0.2)
LONG = Patience(connect=20, answer=20, resting=20)
"""Longer than anything here takes: whatever then ends, something else has ended it."""
SHIPPED = json.loads(Path(described.PLACE).read_bytes())
SENTENCE = {"content": [{"type": "text", "text": "The port is 5433. 端口"}], "structuredContent": {"memories": []}}
Json = dict[str, Any]


class Program:
    """The other end of a conversation, as a program has it."""

    def __init__(self, url: str, patience: Patience = LONG, key: str = KEY, program: str = "-") -> None:
        caller = Caller(url, key=key, program="" if program == "-" else program)
        incoming, self.ear = os.pipe()
        heard, outgoing = os.pipe()
        self.answers = open(heard, "rb")  # noqa: SIM115 - closed in `leaves`
        self._ends = (incoming, outgoing)
        self._thread = threading.Thread(target=serve, args=(caller, incoming, outgoing, program, patience), daemon=True)
        self._thread.start()

    def says(self, line: bytes | Json) -> None:
        told = line if isinstance(line, bytes) else json.dumps(line).encode()
        view = memoryview(told + b"\n")
        while view:
            view = view[os.write(self.ear, view) :]

    def hears(self) -> Json:
        return json.loads(self.answers.readline())

    def asks(self, method: str, number: Any = 1, era: str | None = None, **params: Any) -> Json:
        meta = {} if era is None else {"_meta": {"io.modelcontextprotocol/protocolVersion": era}}
        self.says({"jsonrpc": "2.0", "id": number, "method": method, "params": {**params, **meta}})
        answer = self.hears()
        assert answer["id"] == number
        return answer

    def calls(self, number: Any = 1, era: str | None = None, **arguments: Any) -> Json:
        return self.asks("tools/call", number, era, name="recall", arguments=arguments)

    def leaves(self) -> None:
        os.close(self.ear)
        self.is_over()

    def is_over(self) -> None:
        self._thread.join(20)
        assert not self._thread.is_alive()
        for end in self._ends:
            os.close(end)
        self.answers.close()


class Server:
    """Answers what ``answer`` says of each request, and keeps them."""

    def __init__(self) -> None:
        self.heard: list[Json] = []
        self.headers: list[dict[str, str]] = []
        self.version = "9.9.9"
        self.answer: Callable[[Json], tuple[int, object]] = self.well
        self.url = ""

    def well(self, asked: Json) -> tuple[int, object]:
        about = {"io.modelcontextprotocol/serverInfo": {"name": "whoknows", "version": self.version}}
        told: Json = {
            "server/discover": {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "_meta": about},
            "tools/list": {"tools": [{"name": "recall", "inputSchema": {"type": "object"}, "_meta": {"x": self.version}}]},
        }
        return 200, {"jsonrpc": "2.0", "id": asked["id"], "result": told.get(asked["method"], SENTENCE)}

    @property
    def calls(self) -> list[Json]:
        return [asked["params"] for asked in self.heard if asked["method"] == "tools/call"]


@contextmanager
def running(server: Server) -> Iterator[Server]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.heard.append(asked)
            server.headers.append({n.lower(): v for n, v in self.headers.items()})
            status, told = server.answer(asked)
            body = told if isinstance(told, bytes) else json.dumps(told).encode()
            with suppress(OSError):  # somebody did not wait for it
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    class Listening(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 2 * AT_ONCE

    listening = Listening(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    server.url = f"http://127.0.0.1:{listening.server_address[1]}"
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("WHOKNOWS_URL", "WHOKNOWS_KEY", "WHOKNOWS_AGENT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "whoknows"


@pytest.fixture
def server() -> Iterator[Server]:
    with running(Server()) as served:
        yield served


@contextmanager
def talking(url: str, patience: Patience = LONG, **more: str) -> Iterator[Program]:
    program = Program(url, patience, **more)
    yield program
    program.leaves()


def until(true: Callable[[], bool]) -> None:
    """TimeoutError after far more than it takes."""
    waiting = threading.Event()
    for _ in range(1000):
        if true():
            return
        waiting.wait(0.02)
    raise TimeoutError


def text(answer: Json) -> str:
    assert answer["result"]["isError"] is True
    return answer["result"]["content"][0]["text"]


def code(answer: Json) -> str:
    told = answer["result"]["_meta"]["whoknows/error"]
    assert text(answer).startswith(told["code"])
    return told["code"]


# What is told at once


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_a_program_is_told_everything_before_anybody_was_asked(version: str) -> None:
    never = next(c for c in CASES if c.name == "accepts, never answers")
    with failing(never) as url, talking(url) as program:
        told = program.asks("initialize", protocolVersion=version, capabilities={}, clientInfo={})["result"]
        assert told["protocolVersion"] == version
        assert told["instructions"] == SHIPPED["discovered"]["instructions"]
        assert told["serverInfo"]["name"] == "whoknows"
        program.says({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert program.asks("tools/list")["result"] == {"tools": SHIPPED["listed"]["tools"]}
        assert program.asks("ping")["result"] == {}


def test_the_newer_protocol_begins_without_a_handshake_and_is_told_the_same() -> None:
    with talking(NOBODY) as program:
        assert program.asks("server/discover", era=LATEST_MODERN_VERSION)["result"] == SHIPPED["discovered"]
        assert program.asks("tools/list", era=LATEST_MODERN_VERSION)["result"] == SHIPPED["listed"]
        error = program.asks("tools/list", era="2099-01-01")["error"]
        assert (error["code"], error["data"]) == (-32022, {"supported": [LATEST_MODERN_VERSION], "requested": "2099-01-01"})


def test_a_version_that_nobody_knows_is_answered_with_the_newest_that_has_a_handshake() -> None:
    assert (described.HANDSHAKES, described.NEWEST) == (HANDSHAKE_PROTOCOL_VERSIONS, LATEST_MODERN_VERSION)
    with talking(NOBODY) as program:
        for wanted in ("1999-01-01", None, ["2025-06-18"], LATEST_MODERN_VERSION):
            told = program.asks("initialize", protocolVersion=wanted)["result"]
            assert told["protocolVersion"] == HANDSHAKE_PROTOCOL_VERSIONS[-1]


def test_without_a_key_no_tool_is_described_since_none_could_be_used() -> None:
    with talking(NOBODY, key="") as program:
        assert "instructions" not in program.asks("initialize")["result"]
        assert program.asks("tools/list")["result"] == {"tools": []}
        answer = program.calls(query="x")
        assert code(answer) == "unauthenticated"
        assert "WHOKNOWS_KEY" in text(answer)


# What a program may say


@pytest.mark.parametrize(
    ("line", "number", "error"),
    [
        (b"hello", None, -32700),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping"', None, -32700),
        (b"\xff\xfe\x00", None, -32700),
        (b"[" * 100_000, None, -32700),
        (b'{"id": 1, "method": "ping", "params": {"x": NaN}}', None, -32700),
        (b'{"id": ' + b"9" * 5000 + b', "method": "ping"}', None, -32700),
        (b"[]", None, -32600),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', None, -32600),
        (b"null", None, -32600),
        (b'{"id": 1}', 1, -32600),
        (b'{"id": 1, "method": 7}', 1, -32600),
        (b'{"id": null, "method": "ping"}', None, -32600),
        (b'{"id": true, "method": "ping"}', None, -32600),
        (b'{"id": {"a": 1}, "method": "ping"}', None, -32600),
        (b'{"id": 1e999, "method": "ping"}', None, -32600),
        (b'{"id": 1, "method": "ping", "params": [1]}', 1, -32602),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "recall", "arguments": {"query": 1e999}}}', 1, -32602),
        (b'{"id": "a", "method": "resources/list"}', "a", -32601),
        (b'{"id": "a", "method": "server/discover"}', "a", -32601),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, bytes) else None,
)
def test_what_is_no_request_is_told_so_and_the_next_one_is_answered(line: bytes, number: object, error: int) -> None:
    with talking(NOBODY) as program:
        program.says(line)
        said = program.hears()
        assert (said["id"], said["error"]["code"]) == (number, error)
        assert program.asks("ping", 2)["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \r",
        b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
        b'{"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": "x"}}',
        b'{"method": "notifications/cancelled", "params": {"requestId": 77}}',
        b'{"method": "notifications/anything"}',
        b'{"method": "tools/call", "params": {"name": "forget"}}',
    ],
)
def test_what_wants_no_answer_gets_none(line: bytes) -> None:
    with talking(NOBODY) as program:
        program.says(line)
        assert program.asks("ping", 2)["result"] == {}


@pytest.mark.parametrize("number", [0, -1, 2**63, 1.5, "", "a", "编号", "💥", "\ud83d", "1\n2"], ids=ascii)
def test_an_id_comes_back_as_it_was(server: Server, number: object) -> None:
    with talking(server.url) as program:
        assert program.asks("ping", number)["result"] == {}
        assert program.calls(number, query="x")["result"] == SENTENCE


def test_lines_may_come_in_any_pieces_and_one_without_an_end_is_not_kept() -> None:
    ear, mouth = os.pipe()
    lines = Lines(ear, most=10)
    os.write(mouth, b"ab")
    assert lines.wait(0) == []
    assert lines.wait(0) == []
    os.write(mouth, "c\n\n端口\n".encode() + b"x" * 11)
    assert lines.wait(5) == [b"abc", b"", "端口".encode()]
    os.write(mouth, b"y" * 5000)
    assert lines.wait(5) == []
    os.write(mouth, b"y\n" + b"0123456789\nrest")
    assert lines.wait(5) == [None, b"0123456789"]
    os.close(mouth)
    assert lines.wait(5) == [b"rest"]
    assert lines.over
    os.close(ear)


# Calls


def test_a_call_reaches_the_server_with_the_key_and_its_answer_comes_back_unchanged(server: Server) -> None:
    with talking(server.url) as program:
        assert program.calls(query="端口 \ud83d?", limit=3)["result"] == SENTENCE
        assert program.calls(era=LATEST_MODERN_VERSION, query="x")["result"] == {"resultType": "complete", **SENTENCE}
        program.asks("tools/call", name="get", arguments={}, _meta={"traceparent": "00-1", "io.modelcontextprotocol/x": 1})
    first, second, third = server.calls
    assert first == {"name": "recall", "arguments": {"query": "端口 \ud83d?", "limit": 3}}
    assert second == {"name": "recall", "arguments": {"query": "x"}}
    assert third == {"name": "get", "arguments": {}, "_meta": {"traceparent": "00-1"}}
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["x-machine"] == os.uname().nodename
    assert "text/event-stream" in server.headers[0]["accept"]


def test_calls_do_not_wait_for_each_other(server: Server) -> None:
    both = threading.Barrier(2, timeout=20)

    def together(asked: Json) -> tuple[int, object]:
        both.wait()
        return 200, {"id": asked["id"], "result": {"content": [], "number": asked["params"]["arguments"]["number"]}}

    server.answer = together
    with talking(server.url) as program:
        for number in ("a", "b"):
            call = {"name": "get", "arguments": {"number": number}}
            program.says({"id": number, "method": "tools/call", "params": call})
        told = [program.hears() for _ in range(2)]
    assert {t["id"]: t["result"]["number"] for t in told} == {"a": "a", "b": "b"}


def test_a_call_that_nobody_wants_any_more_is_not_answered(server: Server) -> None:
    held = threading.Event()

    def slowly(asked: Json) -> tuple[int, object]:
        if asked["params"]["arguments"].get("slow"):
            held.wait(20)
        return server.well(asked)

    server.answer = slowly
    with talking(server.url) as program:
        program.says({"id": "slow", "method": "tools/call", "params": {"name": "recall", "arguments": {"slow": True}}})
        until(lambda: len(server.heard) == 1)
        program.says({"method": "notifications/cancelled", "params": {"requestId": "slow"}})
        assert program.calls("next", query="x")["result"] == SENTENCE
        held.set()
        assert program.calls("last", query="x")["result"] == SENTENCE


class _Late(Caller):
    """As one whose server has a name that takes long to resolve: it is about to be sent, and then it must not be any more."""

    def __init__(self, url: str) -> None:
        super().__init__(url, key=KEY)
        self.may_go = threading.Event()

    def headers(self) -> list[tuple[str, bytes]]:
        assert self.may_go.wait(20)
        return super().headers()


@pytest.mark.parametrize("cancelled", [True, False], ids=["cancelled", "given up"])
def test_a_call_that_is_over_is_not_sent_late(cancelled: bool) -> None:
    with create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(20)
        caller, said = _Late(f"http://127.0.0.1:{listening.getsockname()[1]}"), list[Json]()
        patience = LONG if cancelled else SOON
        calls = Calls(caller, Breaker(None), said.append, lambda *_: None, lambda: None, patience)
        calls.begin(Asked({"id": 7, "method": "tools/call", "params": {"name": "remember"}}))
        if cancelled:
            calls.cancel(7)
        else:
            until(lambda: calls.give_up() or bool(said))
            assert "Nothing was sent" in text(said[0])
        caller.may_go.set()
        connection, _ = listening.accept()
        with connection:
            connection.settimeout(20)
            assert connection.recv(1) == b"", "it ends, and nothing came"
        assert len(said) == (0 if cancelled else 1)


def test_too_many_at_a_time_are_told_so(server: Server) -> None:
    held = threading.Event()

    def slowly(asked: Json) -> tuple[int, object]:
        held.wait(20)
        return server.well(asked)

    server.answer = slowly
    with talking(server.url) as program:
        for number in range(AT_ONCE):
            program.says({"id": number, "method": "tools/call", "params": {"name": "recall"}})
        assert code(program.calls("more")) == "busy"
        held.set()
        assert {program.hears()["id"] for _ in range(AT_ONCE)} == set(range(AT_ONCE))


def test_an_end_of_input_ends_it_whatever_is_on_its_way(server: Server) -> None:
    held = threading.Event()

    def slowly(asked: Json) -> tuple[int, object]:
        held.wait(20)
        return server.well(asked)

    server.answer = slowly
    program = Program(server.url)
    program.says({"id": 1, "method": "tools/call", "params": {"name": "recall"}})
    until(lambda: len(server.heard) == 1)
    program.leaves()
    held.set()


def test_it_ends_when_nobody_reads_what_it_says() -> None:
    program = Program(NOBODY)
    program.answers.close()
    program.says({"id": 1, "method": "ping"})
    program.is_over()
    os.close(program.ear)


# What is wrong with a server

_UNANSWERED = {
    "401": "no_answer_of_a_tool",
    "redirect": "no_answer_of_a_tool",
    "HTML": "no_answer_of_a_tool",
    "a list": "no_answer_of_a_tool",
    "another event's output": "no_answer_of_a_tool",
    "deeply nested": "no_answer_of_a_tool",
    "length too small": "no_answer_of_a_tool",
    "too much context": "no_answer_of_a_tool",
    "huge": "no_answer_of_a_tool",
    "huge, without a length": "no_answer_of_a_tool",
}
_NOT_SENT = ("refused", "blackholed", "name does not resolve")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_whatever_a_server_does_a_call_is_answered_with_what_to_do(case: Case, state: Path) -> None:
    with failing(case) as url, talking(url, SOON) as program:
        answer = program.calls(query="发布口令")
        assert program.asks("ping", 2)["result"] == {}
    told = text(answer)
    assert code(answer) == _UNANSWERED.get(case.name, "server_unreachable")
    if code(answer) == "server_unreachable":
        assert "Go on without memory" in told
        assert ("Nothing was sent" in told) == (case.name in _NOT_SENT)
        (line,) = (state / LOG).read_text().splitlines()
        assert line.split(" ")[1:3] == ["-", "tools"]
        assert "发布口令" not in line
    assert KEY not in str(answer)


def test_a_refusal_at_the_door_is_told_in_the_servers_words(server: Server) -> None:
    with talking(server.url) as program:
        server.answer = lambda _: (401, {"code": "unauthenticated", "detail": "this key was revoked", "status": 401})
        answer = program.calls(query="x")
        assert (code(answer), "valid key" in text(answer)) == ("unauthenticated", True)
        server.answer = lambda _: (503, {"code": "store_unavailable", "detail": "the database is away"})
        answer = program.calls(query="x")
        assert (code(answer), "Go on without memory" in text(answer)) == ("store_unavailable", True)
        server.answer = lambda asked: (400, {"id": asked["id"], "error": {"code": -32602, "message": "no"}})
        assert program.calls("mine")["error"] == {"code": -32602, "message": "no"}


def test_an_answer_that_could_not_be_written_as_json_does_not_end_the_conversation(server: Server) -> None:
    with talking(server.url) as program:
        server.answer = lambda asked: (200, b'{"id": 1, "result": {"score": 1e999}}')
        assert program.calls("mine")["error"]["code"] == -32603
        server.answer = lambda asked: (200, b'{"id": 1, "result": {"score": NaN}}')
        assert code(program.calls("mine")) == "no_answer_of_a_tool"
        assert program.asks("ping", 2)["result"] == {}


def test_a_server_that_a_program_was_not_connected_to_is_sent_nothing(server: Server, state: Path) -> None:
    with talking(server.url, program="codex") as program:
        program.asks("tools/list")
        answer = program.calls(query="x")
    assert code(answer) in ("no_server", "other_server")
    assert "whoknows connect" in text(answer)
    assert server.heard == []
    assert not (state / pins.FOLDER).exists()


def test_a_call_that_is_answered_ends_the_rest_of_the_hooks(server: Server, state: Path) -> None:
    rest = of_server(str(state), server.url, KEY)
    for _ in range(3):
        rest.fault(time.time())
    with talking(server.url) as program:
        assert rest.rests_until(time.time()) is not None
        assert program.calls(query="x")["result"] == SENTENCE
    assert rest.rests_until(time.time()) is None


def test_a_call_in_vain_is_a_fault_that_the_hooks_know_of(state: Path) -> None:
    with talking(NOBODY) as program:
        for number in range(3):
            program.calls(number, query="x")
    assert of_server(str(state), NOBODY, KEY).rests_until(time.time()) is not None
    assert of_server(str(state), NOBODY, KEY + "x").rests_until(time.time()) is None, "of another key nothing is known"


# What is known of the server


def test_what_the_server_says_of_its_tools_is_kept_for_the_next_start(server: Server, state: Path) -> None:
    with talking(server.url) as program:
        assert program.asks("tools/list")["result"]["tools"] == SHIPPED["listed"]["tools"]
        until(lambda: bool(list(state.glob("tools-*"))))
    server.heard.clear()
    with talking(server.url) as program:
        assert program.asks("initialize")["result"]["serverInfo"]["version"] == server.version
        (tool,) = program.asks("tools/list")["result"]["tools"]
        assert tool["_meta"] == {"x": server.version}
    assert server.heard == [], "it was asked a moment ago"
    (kept,) = state.glob("tools-*")
    assert kept.stat().st_mode & 0o077 == 0
    assert KEY not in kept.read_text()


def test_what_was_away_at_the_start_is_asked_once_it_has_answered_a_call(server: Server, state: Path) -> None:
    server.answer = lambda _: (500, {})
    with talking(server.url) as program:
        program.asks("tools/list")
        until(lambda: len(server.heard) >= 1)
        server.answer = server.well
        assert program.calls(query="x")["result"] == SENTENCE
        until(lambda: bool(list(state.glob("tools-*"))))
        assert program.asks("tools/list")["result"]["tools"][0]["_meta"] == {"x": server.version}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"at": 1.0, "url": "http://127.0.0.1:1", "discovered": {}, "listed": {}}',
        b'{"at": 1.0, "url": "http://127.0.0.1:1", "discovered": {"capabilities": {}}, "listed": {"tools": [{"name": 7}]}}',
    ],
)
def test_a_description_that_is_none_is_not_told(state: Path, content: bytes) -> None:
    known = described.of_server(str(state), NOBODY)
    state.mkdir()
    name = "tools-" + "".join(c if c.isalnum() else "-" for c in NOBODY)
    (state / name).write_bytes(content)
    again = described.of_server(str(state), NOBODY)
    assert again.tools(None) == known.tools(None) == {"tools": SHIPPED["listed"]["tools"]}
    assert again.is_old(time.time())


def test_a_description_that_makes_no_sense_is_not_kept(server: Server, state: Path) -> None:
    server.answer = lambda asked: (200, {"id": asked["id"], "result": {"tools": [{"name": "recall"}]}})
    with talking(server.url) as program:
        program.asks("tools/list")
        until(lambda: len(server.heard) >= 1)
        assert program.asks("tools/list")["result"]["tools"] == SHIPPED["listed"]["tools"]
    assert list(state.glob("tools-*")) == []


def test_servers_have_descriptions_of_their_own(server: Server, state: Path) -> None:
    known = described.of_server(str(state), server.url)
    known.ask(Caller(server.url, key=KEY), 1000.0)
    assert described.of_server(str(state), server.url + "/").tools(None) == known.tools(None)
    assert described.of_server(str(state), NOBODY).tools(None)["tools"] == SHIPPED["listed"]["tools"]
    alike = server.url.replace("127.0.0.1", "127-0-0-1")
    assert described.of_server(str(state), alike).tools(None)["tools"] == SHIPPED["listed"]["tools"]
    assert not known.is_old(1001.0)
    assert known.is_old(0.0), "a clock that was set back"


def test_a_description_that_could_not_be_written_is_not_taken_over_by_half(server: Server, state: Path) -> None:
    endless = b'{"id": 1, "result": {"tools": [{"name": "recall", "inputSchema": {"maximum": 1e999}}]}}'
    server.answer = lambda asked: (200, endless) if asked["method"] == "tools/list" else server.well(asked)
    known = described.of_server(str(state), server.url)
    with pytest.raises(Fault):
        known.ask(Caller(server.url, key=KEY), time.time())
    assert known.tools(None)["tools"] == SHIPPED["listed"]["tools"]
    assert known.discover() == SHIPPED["discovered"]


def test_a_disk_that_is_full_costs_nothing_that_was_kept(state: Path) -> None:
    state.mkdir()
    kept = state / "kept"
    assert replace(str(kept), b"as it was")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        written = replace(str(kept), b"as it is to be from now on")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not written
    assert {p.name: p.read_bytes() for p in state.iterdir()} == {"kept": b"as it was"}
