"""The client that never fails: whatever the server does, an answer in time or the word that there is none."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from whoknows.client import Breaker, Degraded, FailOpen, WhoKnows
from whoknows.client.background import Background

from .conftest import Served

KEY = "wk_" + "x" * 40
PATIENCE = 0.3


@contextmanager
def server(how: str) -> Iterator[tuple[str, list[str]]]:
    """A server of one habit, and the paths that it was asked for."""
    asked: list[str] = []
    over = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            match how:
                case "never":
                    over.wait(20)
                case "drips":
                    self.send_response(200)
                    self.send_header("Content-Length", "1000")
                    self.end_headers()
                    while not over.wait(0.05):
                        self.wfile.write(b" ")
                case "500":
                    self._say(500, "no")
                case "busy":
                    self._say(503, "no")
                case "rubbish":
                    self._say(200, "<html>welcome</html>")
                case "other":
                    self._say(200, json.dumps({"hello": 1}))
                case "list":
                    self._say(200, "[]")
                case _:
                    self._say(401, json.dumps({"code": "unauthenticated", "detail": "who are you?"}))

        def _say(self, status: int, body: str) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: Any) -> None:
            pass

        def handle(self) -> None:
            with suppress(OSError):
                super().handle()

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}", asked
    finally:
        over.set()
        http.shutdown()
        http.server_close()


HABITS = {
    "never": "server_unreachable",
    "drips": "server_unreachable",
    "500": "http_500",
    "busy": "server_unreachable",  # asked again until patience ends
    "rubbish": "bad_answer",
    "other": "bad_answer",
    "list": "bad_answer",
    "401": "unauthenticated",
}


@pytest.mark.parametrize("how", HABITS)
def test_whatever_the_server_does_there_is_no_error_and_one_line_in_the_log(how: str, caplog: pytest.LogCaptureFixture) -> None:
    with server(how) as (url, _), FailOpen(url, key=KEY, patience=PATIENCE) as wk:
        found = wk.recall("anything")
        assert isinstance(found, Degraded)
        assert found.code in (HABITS[how], "http_503")
        assert not found
    assert len([r for r in caplog.records if r.name == "whoknows"]) == 1


def test_nothing_listens_and_the_caller_goes_on() -> None:
    with FailOpen("http://127.0.0.1:9", key=KEY, patience=PATIENCE) as wk:
        assert not wk.recall("anything")
        assert not asyncio.run(wk.arecall("anything"))


async def test_with_a_server_the_answer_is_that_of_the_client(served: Served) -> None:
    memory = await served.world.write("A", "The staging database uses port 5433.")
    with FailOpen(served.url, key=served.key("A"), patience=20) as wk:
        found = await wk.arecall("staging database port")
        assert found
        assert [m["id"] for m in found["memories"]] == [str(memory.id)]
        assert (await wk.alist() or {"items": []})["items"][0]["id"] == str(memory.id)
        missing = await wk.aget("01a00000-0000-7000-8000-000000000000")
        assert missing == Degraded("not_found", missing.detail if isinstance(missing, Degraded) else "")
    with FailOpen(served.url, key=served.key("B"), patience=20) as wk:
        nothing = await wk.arecall("staging database port")
        assert nothing
        assert nothing["outcome"] == "no_match"  # an empty answer is an answer


def test_after_failures_in_a_row_the_server_is_left_alone_and_then_tried_once() -> None:
    now = [0.0]
    breaker = Breaker(failures=2, pause=10, clock=lambda: now[0])
    with server("500") as (url, asked), FailOpen(url, key=KEY, patience=5, breaker=breaker) as wk:
        codes = [wk.recall("x").code for _ in range(4)]  # pyright: ignore[reportAttributeAccessIssue]
        assert codes == ["http_500", "http_500", "paused", "paused"]
        assert len(asked) == 2
        now[0] = 10.5
        assert [wk.recall("x").code for _ in range(2)] == ["http_500", "paused"]  # pyright: ignore[reportAttributeAccessIssue]
    breaker.succeeded()
    assert [breaker.lets() for _ in range(3)] == [True] * 3


def test_what_cannot_be_a_key_is_said_at_once() -> None:
    with pytest.raises(ValueError, match="WHOKNOWS_KEY"):
        FailOpen(key="")


def test_a_server_that_says_no_is_there() -> None:
    with server("401") as (url, asked), FailOpen(url, key=KEY, patience=5, breaker=Breaker(failures=2)) as wk:
        assert {wk.recall("x").code for _ in range(4)} == {"unauthenticated"}  # pyright: ignore[reportAttributeAccessIssue]
        assert len(asked) == 4


async def test_what_nobody_waits_for_is_done_before_the_client_is_closed(served: Served) -> None:
    with Background(served.url, key=served.key("A")) as background:

        async def work(wk: Any) -> None:
            await wk.capture("Said on the way out.")

        background.later(work)
        assert await asyncio.to_thread(background.flush, 20) == 0
    assert await served.world.recalled("A", "said on the way out") == ["Said on the way out."]
    with pytest.raises(RuntimeError, match="closed"):
        background.later(work)


def test_one_client_serves_one_event_loop_after_the_other() -> None:
    with server("401") as (url, asked), FailOpen(url, key=KEY, patience=5) as wk:
        for _ in range(3):
            assert not asyncio.run(wk.arecall("x"))
        assert len(asked) == 3


def test_the_client_is_imported_without_what_only_some_use() -> None:
    code = "import sys, whoknows.client; print([m for m in sys.modules if m.endswith(('failopen', 'background'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert isinstance(WhoKnows, type)


async def test_what_was_said_last_is_kept_although_the_program_ends_without_closing_and_a_fork_has_a_thread_of_its_own(
    served: Served,
) -> None:
    code = f"""
import os
from whoknows.client import FailOpen
wk = FailOpen("{served.url}", key=os.environ["WHOKNOWS_KEY"], patience=30)
assert wk.list()
if os.fork() == 0:
    os._exit(0 if wk.list() else 1)
assert os.wait()[1] == 0
async def last(client):
    await client.capture("Said at the very end.")
wk.background.later(last)
"""
    environment = {**os.environ, "WHOKNOWS_KEY": served.key("A")}
    await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], check=True, timeout=60, env=environment)
    assert await served.world.recalled("A", "said at the very end") == ["Said at the very end."]


def test_without_its_extra_an_integration_says_what_to_install() -> None:
    code = """
import sys
for extra in ("deepagents", "langgraph", "anthropic"):
    sys.modules[extra] = None
    try:
        __import__(f"whoknows.integrations.{extra}")
    except ImportError as e:
        print(e)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for line, extra in zip(done.stdout.splitlines(), ("deepagents", "langgraph", "anthropic"), strict=True):
        assert f"needs {extra}: pip install 'whoknows[{extra}]'" in line
