"""`whoknows chat` and `whoknows conversations`, without a model and with one that fails, as people type them."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import model_double as play
from model_double import ModelDouble

from .conftest import Cli, start

TEXT = "the harbour crane was greased on monday"


@pytest.fixture(scope="module")
def mira(cli: Cli) -> str:
    """A member with a key of its own, and a memory."""
    cli.json("admin", "members", "add", "mira")
    cli.keys["mira"] = cli.json("admin", "keys", "add", "member:mira")["key"]
    cli.json("mira", "capture", TEXT, "--account", "mira", "--project", "boss")
    return "mira"


def test_without_a_model_one_is_shown_what_was_found(cli: Cli, mira: str) -> None:
    done = cli(mira, "chat", "when was the harbour crane greased", "--project", "boss")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("[Evidence mode: no language model took part]")
    assert TEXT in done.stdout
    assert "no model · conversation" in done.stdout


def test_a_conversation_is_gone_on_with_shown_and_deleted(cli: Cli, mira: str) -> None:
    first = cli.json(mira, "chat", "-", "--project", "boss", text="when was the harbour crane greased\n")
    assert first["mode"] == "evidence"
    conversation = first["conversationId"]
    again = cli.json(mira, "chat", "天气怎么样", "--project", "boss", "--conversation", conversation)
    assert again["conversationId"] == conversation
    assert cli.json(mira, "conversations", "list", "--project", "boss")["items"][0]["conversationId"] == conversation
    shown = cli(mira, "conversations", "show", conversation).stdout
    assert shown.index("when was the harbour crane greased") < shown.index(TEXT) < shown.index("天气怎么样")
    assert cli.json(mira, "conversations", "delete", conversation, "--yes") == {"deleted": 1}
    for gone in (("conversations", "show", conversation), ("conversations", "delete", conversation, "--yes")):
        assert cli(mira, *gone).returncode == 3
    refused = cli(mira, "chat", "x", "--project", "boss", "--conversation", conversation)
    assert refused.returncode == 3
    assert "no such conversation" in refused.stderr


def test_deleting_asks_first(cli: Cli, mira: str) -> None:
    conversation = cli.json(mira, "chat", "hello", "--project", "boss")["conversationId"]
    done = cli(mira, "conversations", "delete", conversation)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert cli(mira, "conversations", "show", conversation).returncode == 0


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        yield double


@pytest.fixture(scope="module")
def talking(double: ModelDouble, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """A server whose master agent speaks through the double, and a member of it."""
    home: Path = tmp_path_factory.mktemp("talking")
    settings = {"WHOKNOWS_MODEL": "m-1", "WHOKNOWS_MODEL_URL": double.url, "WHOKNOWS_MODEL_EFFORT": "low"}
    server = start(home, WHOKNOWS_LOG_LEVEL="debug", **settings)
    try:
        assert server.key is not None
        cli = Cli(server, home, {"admin": server.key})
        cli.json("admin", "members", "add", "mira")
        cli.keys["mira"] = cli.json("admin", "keys", "add", "member:mira")["key"]
        cli.json("mira", "capture", TEXT, "--account", "mira", "--project", "boss")
        yield cli
    finally:
        server.process.terminate()
        server.process.wait(60)


def test_a_model_speaks_with_what_the_settings_say_and_its_sources_stand_below(talking: Cli, double: ModelDouble) -> None:
    double.plays(play.says("Am ", "Montag.\x1b[2J"))
    done = talking("mira", "chat", "when was the harbour crane greased", "--project", "boss")
    assert done.returncode == 0, done.stderr
    answer, first, *_ = done.stdout.splitlines()
    assert answer == "Am Montag.␛[2J"  # nothing that could act on a terminal
    assert first == f"[1] {TEXT}"
    assert (double.last.body["model"], double.last.body["reasoning_effort"]) == ("m-1", "low")


def test_a_model_that_fails_is_a_line_an_exit_code_and_a_way_on(talking: Cli, double: ModelDouble) -> None:
    double.plays(play.breaks_off("Am Mon"))
    done = talking("mira", "chat", "when was the harbour crane greased", "--project", "boss")
    assert done.returncode == 8
    assert done.stdout.startswith("Am Mon")
    assert TEXT in done.stderr
    assert "--conversation " in done.stderr
    advice = done.stderr[done.stderr.index("--conversation ") :].split(")")[0].split()
    assert advice[2] == "--retry"
    double.plays(play.says("Am Montag."))
    again = talking.json("mira", "chat", "when was the harbour crane greased", "--project", "boss", *advice)
    assert (again["answer"], again["conversationId"]) == ("Am Montag.", advice[1])
    double.plays(play.refuses(429))
    failed = talking("mira", "chat", "x", "--project", "boss", "--json")
    assert failed.returncode == 8
    assert '"model_quota"' in failed.stderr + failed.stdout


def test_at_no_level_does_the_log_hold_what_was_said(talking: Cli, double: ModelDouble) -> None:
    double.plays(play.says("die antwort zitronenfalter"), play.refuses(400, message="you said: frage zitronenfalter"))
    for _ in range(2):
        talking("mira", "chat", "frage zitronenfalter", "--project", "boss")
    log = (talking.home / "log").read_text()
    assert "/api/v1/master-agent/chat" in log
    for words in ("zitronenfalter", TEXT, "greased"):
        assert words not in log


def test_the_doctor_asks_the_model_for_a_word(talking: Cli, double: ModelDouble) -> None:
    double.plays(play.says("ready"))
    settings = {"WHOKNOWS_MODEL": "m-1", "WHOKNOWS_MODEL_URL": double.url}
    found = {f["about"]: f for f in json.loads(talking.alone("mira", "doctor", "--json", **settings).stdout)["findings"]}
    assert found["language model"]["health"] == "ok"
    assert "m-1 answers" in found["language model"]["detail"]
    double.plays(play.refuses(401))
    found = {f["about"]: f for f in json.loads(talking.alone("mira", "doctor", "--json", **settings).stdout)["findings"]}
    assert found["language model"]["health"] == "fail"
    assert "WHOKNOWS_MODEL_KEY" in found["language model"]["detail"]
