"""What goes wrong: one line that says what to do, and an exit code by kind."""

import json

import pytest

from .conftest import SECRET, Cli, environment, whoknows

CASES = {
    "usage": ("main", ["recal"], 2, "usage"),
    "not found": ("main", ["get", "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"], 3, "not_found"),
    "forbidden": ("scout", ["capture", "a reader writes", "--team", "backend"], 4, None),
    "administers nothing": ("scout", ["agents", "add", "x"], 4, "permission_missing"),
    "conflict": ("admin", ["agents", "add", "main"], 6, "name_taken"),
    "invalid": ("main", ["capture", " "], 7, "invalid"),
    "another's agent": ("main", ["list", "--agent", "outsider"], 4, "not_your_agent"),
}


@pytest.mark.parametrize("case", CASES)
def test_an_error_is_json_on_stderr_with_the_exit_code_of_its_kind(cli: Cli, case: str) -> None:
    who, arguments, code, name = CASES[case]
    done = cli(who, *arguments, "--json")
    assert (done.returncode, done.stdout) == (code, "")
    error = json.loads(done.stderr)["error"]
    assert error["detail"]
    assert name in (None, error["code"])


def test_for_people_an_error_is_one_line(cli: Cli) -> None:
    done = cli("main", "get", "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55")
    assert done.stderr.startswith("whoknows: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_command_line_says_where_its_help_is(cli: Cli) -> None:
    wrong = cli("main", "edit", "an id", "a text")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (2, 1)
    assert wrong.stderr.endswith("(see whoknows edit --help)\n")
    choice = cli("main", "inject", "scout", "x", "--depth", "deep")
    assert "'deep' is not one of" in choice.stderr
    assert "Value error" not in choice.stderr
    group = cli("main", "keys")
    assert (group.returncode, group.stderr.startswith("Usage: whoknows keys")) == (2, True)


def test_a_wrong_key_and_no_key_say_what_to_do(cli: Cli) -> None:
    cli.keys["nobody"] = "wk_" + "x" * 40
    assert cli("nobody", "whoami").returncode == 5
    missing = cli(None, "whoami")
    assert missing.returncode == 5
    assert "whoknows keys remember" in missing.stderr


def test_a_key_for_several_must_say_which_one(cli: Cli) -> None:
    cli.keys["both"] = cli.json("admin", "keys", "add", "main", "scout")["key"]
    unsaid = cli("both", "list")
    assert unsaid.returncode == 7
    assert "--agent" in unsaid.stderr
    assert SECRET in cli("both", "list", "--layer", "private", "--agent", "main", "--json").stdout
    assert SECRET not in cli("both", "list", "--layer", "private", "--json", WHOKNOWS_AGENT="scout").stdout


def test_a_server_that_is_not_there_is_unavailable(cli: Cli) -> None:
    done = cli("main", "list", WHOKNOWS_URL="http://127.0.0.1:9")
    assert done.returncode == 8
    assert "whoknows serve" in done.stderr


def test_bytes_that_are_no_text_are_refused(cli: Cli) -> None:
    piped = cli("main", "capture", text=b"\xff\xfe")
    assert piped.returncode == 7
    assert "UTF-8" in piped.stderr


def test_a_setting_that_does_not_exist_is_named(cli: Cli) -> None:
    done = whoknows(environment(cli.home, WHOKNOWS_PROT="1"), "serve")
    assert done.returncode == 7
    assert "WHOKNOWS_PROT" in done.stderr
