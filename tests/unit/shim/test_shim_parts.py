"""The parts of the hook by themselves: the breaker between processes, the log, what may be printed, and what it is made of."""

import ast
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from whoknows.hooks import answers, breaker, log, pins, plain_json, state
from whoknows.hooks.breaker import FAULTS, PAUSE, REST, WITHIN, Breaker, of_server
from whoknows.hooks.faults import Fault
from whoknows.hooks.install import PARTS, PROGRAMS, command, files, launcher, plugin_command

HOOKS = Path(breaker.__file__).parent
NOW = 1_800_000_000.0


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "state" / "breaker-x")


def faults(path: str, *at: float) -> None:
    for when in at:
        Breaker(path).fault(when)


# The breaker


def test_three_faults_within_a_minute_bring_a_rest(path: str) -> None:
    faults(path, NOW, NOW + 1)
    assert Breaker(path).lets_ask(NOW + 2)
    faults(path, NOW + 2)
    assert not Breaker(path).lets_ask(NOW + 2.1)
    assert not Breaker(path).lets_ask(NOW + 2 + REST - 0.1)
    assert Breaker(path).rests_until(NOW + 3) == pytest.approx(NOW + 2 + REST)


def test_who_waited_in_vain_spares_the_next_ones_the_wait(path: str) -> None:
    Breaker(path).fault(NOW, late=True)
    assert not Breaker(path).lets_ask(NOW + PAUSE - 0.1)
    assert Breaker(path).rests_until(NOW + 1) == pytest.approx(NOW + PAUSE)
    assert Breaker(path).lets_ask(NOW + PAUSE)
    assert Breaker(path).rests_until(NOW + PAUSE) is None
    for late in (NOW + 10, NOW + 20):
        Breaker(path).fault(late, late=True)
    assert not Breaker(path).lets_ask(NOW + 20 + REST - 0.1), "they count as faults like any other"


def test_faults_far_apart_bring_none(path: str) -> None:
    faults(path, NOW, NOW + WITHIN, NOW + 2 * WITHIN)
    assert Breaker(path).lets_ask(NOW + 2 * WITHIN + 1)
    assert Breaker(path).rests_until(NOW + 2 * WITHIN + 1) is None


def test_after_the_rest_one_asks_for_all(path: str) -> None:
    faults(path, *[NOW] * FAULTS)
    first, second = Breaker(path), Breaker(path)
    later = NOW + REST + 1
    assert first.lets_ask(later)
    assert not second.lets_ask(later)
    first.fine()
    assert Breaker(path).lets_ask(later + 1)


def test_who_asked_for_all_in_vain_brings_the_next_rest(path: str) -> None:
    faults(path, *[NOW] * FAULTS)
    later = NOW + REST + 1
    first = Breaker(path)
    assert first.lets_ask(later)
    first.fault(later + 1)
    assert not Breaker(path).lets_ask(later + REST)
    assert Breaker(path).lets_ask(later + 1 + REST)


def test_who_asked_for_all_and_was_killed_brings_the_next_rest(path: str) -> None:
    faults(path, *[NOW] * FAULTS)
    later = NOW + REST + 1
    assert Breaker(path).lets_ask(later)
    assert not Breaker(path).lets_ask(later + REST - 1)
    assert Breaker(path).lets_ask(later + REST)


def test_of_many_that_come_at_once_exactly_one_asks(path: str) -> None:
    for round_no in range(20):
        state.remove(path)
        faults(path, *[NOW] * FAULTS)
        with ThreadPoolExecutor(20) as pool:
            asked = list(pool.map(lambda _: Breaker(path).lets_ask(NOW + REST + 1), range(20)))
        assert sum(asked) == 1, round_no


def test_faults_of_many_at_once_are_all_counted(path: str) -> None:
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda n: Breaker(path).fault(NOW + n / 1000), range(20)))
    assert Path(path).read_text().count("f ") == 20
    assert not Breaker(path).lets_ask(NOW + 1)


def test_a_clock_that_was_set_back_means_no_rest_of_hours(path: str) -> None:
    faults(path, *[NOW] * FAULTS)
    assert Breaker(path).lets_ask(NOW - 3600)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00", b"f\n", b"f nan\nf inf\nf -1\n", b"p 1\n", b"f 1 2 3\n" * 2000])
def test_a_file_that_holds_anything_else_is_none(path: str, content: bytes) -> None:
    state.append(path, b"")
    Path(path).write_bytes(content)
    assert Breaker(path).lets_ask(NOW)


def test_a_file_that_cannot_be_written_does_not_keep_memory_off_for_ever(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    faults(path, *[NOW] * FAULTS)
    monkeypatch.setattr(state, "append", lambda *_: 0)
    assert Breaker(path).lets_ask(NOW + REST + 1)


def test_the_file_does_not_grow_for_ever(path: str) -> None:
    for day in range(500):
        faults(path, NOW + day * 1000)
        one = Breaker(path)
        assert one.lets_ask(NOW + day * 1000 + 1)
        one.fine()
    assert Path(path).stat().st_size < 4096 if Path(path).exists() else True


def test_servers_and_keys_are_told_apart(tmp_path: Path) -> None:
    for _ in range(FAULTS):
        of_server(str(tmp_path), "http://a:1", "one").fault(NOW)
    assert not of_server(str(tmp_path), "http://a:1/", "one").lets_ask(NOW)
    assert of_server(str(tmp_path), "http://a:1", "two").lets_ask(NOW), "a wrong key is no fault of a right one"
    assert of_server(str(tmp_path), "http://b:1", "one").lets_ask(NOW)
    assert of_server(str(tmp_path), "http://a-1", "one").lets_ask(NOW)
    assert of_server(None, "http://a:1", "one").lets_ask(NOW)
    assert "one" not in "".join(p.name for p in tmp_path.iterdir())


def test_an_answer_on_another_way_ends_a_rest(path: str) -> None:
    faults(path, *[NOW] * FAULTS)
    Breaker(path).over()
    assert Breaker(path).lets_ask(NOW + 1)


# The servers that may be asked


def test_an_address_is_the_same_however_it_is_written() -> None:
    assert pins.address(" HTTP://Localhost:80/ ") == "http://localhost"
    assert pins.address("https://a.b:443/x/") == "https://a.b/x"
    assert pins.address("http://[::1]:8765") == "http://[::1]:8765"
    assert pins.address("http://a.b") != pins.address("https://a.b:80")
    for none in ("", "a.b:80", "http://", "http://a b", "http://u@a", "http://a?x", "javascript:1"):
        with pytest.raises(Fault):
            pins.address(none)


@pytest.mark.parametrize(
    "place", ["a.b:8765000", "a.b:65536", "a.b:000081", "a.b:80:80", "a.b:+80", "a.b:8o", "::1", "[::1", "[a.b]"]
)
def test_what_is_no_host_and_port_is_not_taken_for_another_that_is(place: str) -> None:
    for scheme in ("http", "https"):
        with pytest.raises(Fault):
            pins.address(f"{scheme}://{place}")


# The log


def test_a_line_says_when_where_why_and_after_how_long(tmp_path: Path) -> None:
    log.note(str(tmp_path / "new"), "codex", "Stop", "timeout", 1002)
    at, *words = (tmp_path / "new" / log.NAME).read_text().split()
    assert words == ["codex", "Stop", "timeout", "1002ms"]
    assert at.endswith("Z")


def test_the_log_is_bounded_and_loses_nothing_that_is_new(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: log.note(str(tmp_path), "codex", "Stop", f"c{n}", n), range(8000)))
    new, old = tmp_path / log.NAME, tmp_path / f"{log.NAME}.1"
    assert old.exists()
    assert new.stat().st_size + old.stat().st_size <= 2 * log.MOST + 1000
    said = [int(line.split()[3][1:]) for line in (old.read_text() + new.read_text()).splitlines()]
    assert set(range(7900, 8000)) <= set(said)
    assert len(said) == len(set(said))


# The state


def test_one_of_many_is_the_first(tmp_path: Path) -> None:
    with ThreadPoolExecutor(20) as pool:
        first = list(pool.map(lambda _: state.first_time(str(tmp_path / "told" / "s")), range(20)))
    assert sum(first) == 1


@pytest.mark.parametrize(
    ("chosen", "home", "expected"),
    [
        ("/x/state", "/home/a", "/x/state/whoknows"),
        ("", "/home/a", "/home/a/.local/state/whoknows"),
        ("not/absolute", "/home/a", "/home/a/.local/state/whoknows"),
        ("", "not/absolute", None),
    ],
)
def test_where_the_state_is(monkeypatch: pytest.MonkeyPatch, chosen: str, home: str, expected: str | None) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", chosen)
    monkeypatch.setenv("HOME", home)
    assert state.folder() == expected


def test_without_a_home_in_the_environment_it_is_that_of_the_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.delenv("HOME", raising=False)
    assert state.folder() == str(Path("~").expanduser() / ".local" / "state" / "whoknows")


def test_nothing_is_added_to_what_a_link_leads_to(path: str) -> None:
    foreign = Path(path).parent.parent / "foreign"
    foreign.write_text("precious\n")
    Path(path).parent.mkdir()
    Path(path).symlink_to(foreign)
    faults(path, NOW, NOW + 1, NOW + 2)
    Path(path).with_name(log.NAME).symlink_to(foreign)
    log.note(str(Path(path).parent), "codex", "Stop", "refused", 3)
    assert foreign.read_text() == "precious\n"
    assert Breaker(path).lets_ask(NOW + 3)


def test_a_plugin_runs_nothing_that_stands_in_the_directory_it_is_run_in(tmp_path: Path) -> None:
    (tmp_path / "share/whoknows/hook").mkdir(parents=True)
    planted = tmp_path / "share/whoknows/hook/whoknows-hook"
    planted.write_text("#!/bin/sh\necho planted\n")
    planted.chmod(0o755)
    for data, expected in (("share", b""), (str(tmp_path / "share"), b"planted\n")):
        env = {"HOME": str(tmp_path / "nobody"), "XDG_DATA_HOME": data}
        ran = subprocess.run(["/bin/sh", "-c", plugin_command("codex")], cwd=tmp_path, env=env, capture_output=True, check=True)
        assert (ran.stdout, ran.stderr) == (expected, b"")


# What may be printed


def said(event: str, answer: object) -> object:
    printed = answers.output(event, json.dumps(answer).encode())
    return json.loads(printed) if printed else None


def specific(event: str, context: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": context}}


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "SubagentStart"])
def test_context_and_a_message_are_printed(event: str) -> None:
    answer = specific(event, "蓝鲸") | {"systemMessage": "degraded"}
    assert said(event, answer) == answer


@pytest.mark.parametrize("answer", [{}, {"decision": "block", "reason": "no"}, {"continue": False, "stopReason": "no"}])
def test_nothing_that_stops_a_prompt_is_printed(answer: object) -> None:
    assert said("UserPromptSubmit", answer) is None


def test_a_message_cannot_act_on_a_terminal() -> None:
    assert said("Stop", {"systemMessage": "a\x1b]0;x\x07\nb\x9b蓝 🐳"}) == {"systemMessage": "a ]0;x  b 蓝 🐳"}


def test_what_nobody_asked_for_is_left_out() -> None:
    answer = specific("UserPromptSubmit", "x") | {"decision": "block", "sessionTitle": "y", "suppressOutput": True}
    answer["hookSpecificOutput"] |= {"suppressOriginalPrompt": True}  # type: ignore[operator]
    assert said("UserPromptSubmit", answer) == specific("UserPromptSubmit", "x")


@pytest.mark.parametrize(
    ("event", "answer", "code"),
    [
        ("Stop", specific("Stop", "go on"), "wrong_form"),
        ("UserPromptSubmit", specific("SessionStart", "x"), "wrong_form"),
        ("UserPromptSubmit", specific("UserPromptSubmit", ["x"]), "wrong_form"),
        ("UserPromptSubmit", {"hookSpecificOutput": "x"}, "wrong_form"),
        ("UserPromptSubmit", {"systemMessage": {}}, "wrong_form"),
        ("UserPromptSubmit", None, "wrong_form"),
        ("UserPromptSubmit", specific("UserPromptSubmit", "x" * 10_001), "too_long"),
        ("UserPromptSubmit", {"systemMessage": "x" * 501}, "too_long"),
    ],
)
def test_what_is_no_answer_is_a_fault(event: str, answer: object, code: str) -> None:
    with pytest.raises(Fault) as fault:
        said(event, answer)
    assert fault.value.code == code


def test_as_much_context_as_the_programs_take_is_printed_whole() -> None:
    assert said("UserPromptSubmit", specific("UserPromptSubmit", "金" * 10_000)) is not None


# JSON without the module of that name


@pytest.mark.parametrize("in_ascii", [True, False])
def test_what_is_written_is_what_everybody_reads(in_ascii: bool) -> None:
    value = {"a": [1, -2.5, True, None, 2**70, {}, []], "蓝鲸": '"\\\n\u2028\x00🐳', "\ud83d": ""}
    assert plain_json.dumps(value, in_ascii) == json.dumps(value, ensure_ascii=in_ascii)
    assert plain_json.loads(b" \n" + plain_json.dumps(value).encode() + b"\t") == value
    for wrong in ({"a": object()}, [float("nan")], {1, 2}):
        with pytest.raises(ValueError):  # noqa: PT011 - parsers have words of their own
            plain_json.dumps(wrong, in_ascii)


@pytest.mark.parametrize(
    "text", [b"", b" ", b"{", b"{} {}", b"{'a': 1}", b"[1,]", b"\xff", b'"\n"', b"NaN", b"[-Infinity]", b"tru"]
)
def test_what_is_no_json_is_not_read(text: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - parsers have words of their own
        plain_json.loads(text)


def test_an_interpreter_without_the_compiled_part_reads_and_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    assert plain_json.loads(b' {"a": [1.5, null]} ') == {"a": [1.5, None]}
    assert plain_json.dumps({"a": "蓝"}, in_ascii=False) == '{"a": "蓝"}'
    for text in (b"NaN", b"", b"{} {}"):
        with pytest.raises(ValueError):  # noqa: PT011 - parsers have words of their own
            plain_json.loads(text)


# What it is made of


def test_the_copy_holds_every_part() -> None:
    assert set(PARTS) == {p.stem for p in HOOKS.glob("*.py")} - {"install"}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_read_by_old_interpreters_and_imports_only_its_neighbours(part: str) -> None:
    tree = ast.parse((HOOKS / f"{part}.py").read_text("utf-8"), feature_version=(3, 8))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            assert {a.name for a in node.names} <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom):
            assert node.level == 1 or str(node.module).split(".")[0] in sys.stdlib_module_names


def test_the_start_is_read_by_any_interpreter(tmp_path: Path) -> None:
    start = files(tmp_path)[launcher(tmp_path)].decode().split("-c '")[1].split("'")[0]
    ast.parse(start, feature_version=(3, 4))


def test_the_command_is_one_word_for_any_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", "/home/a b/data")
    assert command("codex") == "'/home/a b/data/whoknows/hook/whoknows-hook' codex"
    for program in PROGRAMS:
        assert plugin_command(program).endswith(f"{program}'")
