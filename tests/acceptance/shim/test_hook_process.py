"""The hook as a process: what the server is sent, what the program gets, and that nothing around it can make it fail."""

import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from hook_process import EVENT, PATIENCE, Home, ended
from hooks.faulty import GOOD, Case, answering, context, failing
from hooks.started import connected
from whoknows.hooks.breaker import REST

AT_ONCE = 6
NOBODY = "http://127.0.0.1:1"
CONTEXT = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "what is known"}}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "a home")


@pytest.fixture
def good() -> Iterator[tuple[str, list[bytes]]]:
    with answering(GOOD) as served:
        yield served


def test_the_server_gets_the_event_as_it_came_and_the_program_its_answer(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    event = b' {"hook_event_name": "UserPromptSubmit",  "session_id":"s", "prompt": "\xe8\x93\x9d"}\n'
    said = home.run(url + "/", event=event, WHOKNOWS_AGENT="小助手")
    assert (said.code, said.err, said.json) == (0, b"", CONTEXT)
    head, _, body = sent[0].partition(b"\r\n\r\n")
    lines = head.split(b"\r\n")
    assert lines[0] == b"POST /api/v1/hooks/claude-code HTTP/1.1"
    assert b"Authorization: Bearer wk_of-a-test" in lines
    assert b"X-Machine: " + os.uname().nodename.encode() in lines
    assert b"X-Agent: " + "小助手".encode() in lines
    assert body == event
    assert not home.state.exists(), "there is nothing to remember of what went well"


def test_context_in_chinese_is_printed_as_it_is(home: Home) -> None:
    with answering(context("发布口令是蓝鲸计划 \ud83d")) as (url, _):
        said = home.run(url, LC_ALL="POSIX")
    assert "发布口令是蓝鲸计划 ?" in said.out.decode()


@pytest.mark.parametrize("program", ["claude-code", "codex", "pi"])
def test_a_person_is_told_once_in_a_session_that_memory_is_off(home: Home, program: str) -> None:
    said = [home.run(NOBODY, program=program) for _ in range(2)]
    other = home.run(NOBODY, program=program, event=EVENT | {"session_id": "s-2"}, LANG="zh_CN.UTF-8")
    assert {s.code for s in [*said, other]} == {0}
    if program == "pi":
        assert not [s.out for s in [*said, other] if s.out], "its extension speaks for itself"
    else:
        assert "memory is off" in str(said[0].json)
        assert not said[1].out
        assert "记忆" in str(other.json)


def test_nobody_is_told_at_the_end_of_a_turn(home: Home) -> None:
    said = home.run(NOBODY, event=EVENT | {"hook_event_name": "Stop"})
    assert (said.code, said.out) == (0, b"")
    assert home.codes() == ["refused"]


def test_after_three_faults_the_server_is_left_alone(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    with answering(b"HTTP/1.1 500 No\r\n\r\n") as (failing_url, _):
        for _ in range(3):
            home.run(failing_url)
        said = home.run(failing_url)
    assert home.codes() == ["http_500"] * 3 + ["resting"]
    assert not said.out
    assert home.run(url).json == CONTEXT, "another server is another matter"
    assert len(sent) == 1


def test_after_the_rest_one_of_many_asks_and_then_all_may(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    home.state.mkdir(parents=True)
    with answering(b"HTTP/1.1 500 No\r\n\r\n") as (failing_url, _):
        for _ in range(3):
            home.run(failing_url)
    (path,) = home.state.glob("breaker-*")
    long_ago = f"f {time.time() - REST - 1:.3f}\n" * 3
    path.with_name(path.name.replace(_in_a_name(failing_url), _in_a_name(url))).write_text(long_ago)
    said = [ended(p) for p in [home.start(url) for _ in range(AT_ONCE)]]
    assert {(s.code, s.err) for s in said} == {(0, b"")}
    asked = [s for s in said if b"what is known" in s.out]
    assert 1 <= len(asked) <= len(sent)
    assert home.run(url).json == CONTEXT


def test_a_wrong_key_does_not_keep_a_right_one_from_asking(home: Home) -> None:
    with answering(b"HTTP/1.1 401 No\r\n\r\n") as (refusing, _):
        for _ in range(3):
            home.run(refusing, WHOKNOWS_KEY="wk_wrong")
        assert not home.run(refusing, WHOKNOWS_KEY="wk_wrong").out
        assert home.codes()[3] == "resting"
        home.run(refusing)
    assert home.codes()[4] != "resting", "another key is asked with"
    assert not [p for p in home.state.iterdir() if "wrong" in p.name]


def test_nothing_is_sent_to_a_server_that_the_program_was_not_connected_to(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    connected(home.launcher, "http://127.0.0.1:8765")
    for elsewhere in (url, url + "/path", url.replace("http:", "HTTP:")):
        for program in ("claude-code", "codex", "pi"):
            said = home.run(elsewhere, program=program, known=False)
            assert (said.code, said.err) == (0, b"")
            assert b"what is known" not in said.out
    assert set(home.codes()) == {"other_server"}
    assert "`whoknows connect codex` if it is meant" in " ".join(home.log()[1])
    assert not sent
    assert not list(home.state.glob("breaker-*")), "it says nothing about that server"
    assert home.run(url).json == CONTEXT, "connected to it as well, it is asked"
    assert home.run(url + "/path", known=False).out == b"", "another path is another server"


def test_no_environment_leads_to_another_list_of_servers(home: Home, good: tuple[str, list[bytes]], tmp_path: Path) -> None:
    url, sent = good
    connected(home.launcher, "http://127.0.0.1:8765")
    planted = Home(tmp_path / "planted")
    connected(planted.launcher, url)
    elsewhere = {
        "HOME": str(planted.folder),
        "XDG_DATA_HOME": str(planted.folder / ".local" / "share"),
        "PYTHONPATH": str(planted.launcher.parent),
        "PWD": str(planted.launcher.parent),
    }
    said = home.run(url, known=False, **elsewhere)
    assert (said.code, said.err, sent) == (0, b"", [])


def test_a_copy_that_knows_no_server_asks_none(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    for content in (None, b"", b"\xff\n", b"ftp://a\n" * 3):
        path = home.launcher.parent / "servers" / "claude-code"
        path.parent.mkdir(exist_ok=True)
        if content is not None:
            path.write_bytes(content)
        said = home.run(url, known=False)
        assert (said.code, said.err) == (0, b"")
    assert home.codes() == ["no_server"] * 4
    assert not sent


def test_neither_key_nor_prompt_is_written_anywhere(home: Home) -> None:
    home.run(NOBODY, event=EVENT | {"hook_event_name": "发布口令是什么？", "session_id": "../../发布口令"})
    home.run(NOBODY, event=b'{"prompt": "wk_of-a-test')
    written = [p for p in home.state.rglob("*") if p.is_file()]
    assert written
    for path in written:
        text = path.name + path.read_text("utf-8")
        assert "wk_of-a-test" not in text
        assert "发布口令" not in text


def test_standard_input_that_never_ends_does_not_hold_a_prompt_up(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    said = ended(home.start(url, close=False))
    assert (said.code, said.out, said.err) == (0, b"", b"")
    assert home.codes() == ["input_timeout"]
    assert not sent


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (b"", "input_not_json"),
        (b"\xff\x00\xfe", "input_not_json"),
        (b"[" * 100_000, "input_not_json"),
        (b'"text"', "input_not_json"),
        (b'{"prompt": "' + b"x" * (1 << 20) + b'"}', "input_too_large"),
    ],
    ids=["empty", "no UTF-8", "deep", "no object", "huge"],
)
def test_what_is_no_event_is_not_sent(home: Home, good: tuple[str, list[bytes]], event: bytes, code: str) -> None:
    url, sent = good
    said = home.run(url, event=event)
    assert (said.code, said.out, said.err) == (0, b"", b"")
    assert home.codes() == [code]
    assert not sent


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"WHOKNOWS_KEY": ""}, "no_key"),
        ({"WHOKNOWS_KEY": "wk_a\nX-Seen-As: boss"}, "bad_setting"),
        ({"WHOKNOWS_AGENT": "a\r\nb"}, "bad_setting"),
        ({"WHOKNOWS_URL": "file:///etc/passwd"}, "bad_url"),
        ({"WHOKNOWS_URL": "http://127.0.0.1:1 HTTP/1.1"}, "bad_url"),
        ({"WHOKNOWS_URL": "http://127.0.0.1:99999"}, "bad_url"),
        ({"WHOKNOWS_URL": "http://user:word@127.0.0.1:1"}, "bad_url"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_a_line_in_the_log(home: Home, given: dict[str, str], code: str) -> None:
    said = home.run(NOBODY, **given)
    assert (said.code, said.err) == (0, b"")
    assert home.codes() == [code]


def test_switched_off_it_does_nothing(home: Home, good: tuple[str, list[bytes]]) -> None:
    url, sent = good
    said = home.run(url, WHOKNOWS_HOOKS_DISABLED="1")
    assert (said.code, said.out, said.err) == (0, b"", b"")
    assert not sent
    assert not home.state.exists()


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_files_are_no_fault_that_is_heard_of(home: Home, good: tuple[str, list[bytes]], closed: str) -> None:
    said = home.run(good[0], command=["/bin/sh", "-c", f"{shlex.quote(str(home.launcher))} claude-code {closed}"])
    assert (said.code, said.err) == (0, b"")
    assert said.out == b"" or closed == "2>&-"


def test_a_reader_that_went_away_is_no_fault_that_is_heard_of(home: Home) -> None:
    process = home.start(NOBODY, close=False)
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.close()
    process.stdin.close()
    assert process.wait(20) == 0
    assert process.stderr is not None
    with process.stderr as said:
        assert said.read() == b""


def test_a_folder_of_state_that_cannot_be_written_changes_nothing(home: Home, good: tuple[str, list[bytes]]) -> None:
    home.state.parent.parent.mkdir(parents=True, exist_ok=True)
    home.state.parent.write_text("a file where a folder should be")
    assert home.run(good[0]).json == CONTEXT
    said = home.run(NOBODY)
    assert (said.code, said.out, said.err) == (0, b"", b""), "what cannot be remembered as said is not said"


def test_a_pipe_in_place_of_the_log_holds_nobody_up(home: Home) -> None:
    home.state.mkdir(parents=True)
    os.mkfifo(home.state / "hook.log")
    assert home.run(NOBODY).code == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_told_to_stop_it_stops_at_once_and_in_peace(home: Home, number: signal.Signals) -> None:
    asked = threading.Event()
    with failing(Case("silent", ("timeout",), lambda _, over: asked.set() or over.wait(PATIENCE))) as url:
        process = home.start(url)
        assert asked.wait(PATIENCE)
        process.send_signal(number)
        said = ended(process)
    assert (said.code, said.out, said.err) == (0, b"", b"")
    assert home.codes() == ["ended"]


@pytest.mark.parametrize("shell", ["/bin/sh", "/bin/bash"])
def test_a_login_shell_starts_it_as_codex_does(home: Home, good: tuple[str, list[bytes]], shell: str) -> None:
    command = [shell, "-lc", f"{shlex.quote(str(home.launcher))} codex"]
    assert home.run(good[0], command=command).json == CONTEXT


def test_without_an_interpreter_there_is_no_memory_and_no_fault(home: Home, good: tuple[str, list[bytes]]) -> None:
    lines = home.launcher.read_text().splitlines()
    lines = ["for python in /nowhere/python3 'not there'; do" if line.startswith("for ") else line for line in lines]
    home.launcher.write_text("\n".join(lines) + "\n")
    said = home.run(good[0])
    assert (said.code, said.out, said.err) == (0, b"", b"")


@pytest.mark.parametrize("name", ["command.py", "faults.py", "exchange.py"])
@pytest.mark.parametrize("content", [None, "from __future__ import nothing\n"], ids=["gone", "broken"])
def test_a_copy_that_is_broken_is_no_fault_that_is_heard_of(
    home: Home, good: tuple[str, list[bytes]], name: str, content: str | None
) -> None:
    path = home.launcher.parent / "whoknows_hook" / name
    path.unlink()
    if content:
        path.write_text(content)
    said = home.run(good[0])
    assert (said.code, said.out, said.err) == (0, b"", b"")


def _in_a_name(url: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in url)
