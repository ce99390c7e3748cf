"""The Bureau from the command line, with the embedder that WhoKnows brings along: every script plays as it says."""

import json
from pathlib import Path
from typing import Any

import pytest

from whoknows.sources.scripts import ScriptFiles

from .conftest import Cli

SCRIPTS = sorted(s.id for s in ScriptFiles().all())
QUESTION = {"zh": "保险箱的密码是多少？", "en": "What is the combination of the safe?"}


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line]


@pytest.fixture
def case(cli: Cli) -> str:
    """A case with the key of its operator as that of `chief`."""
    made = cli.json("admin", "bureau", "open", "heron", "--lang", "zh")
    cli.keys["chief"] = made["key"]
    return made["case"]


PLAYED = [(s, language) for s in ("heron", "night-train", "greenhouse") for language in ("zh", "en")]
IN_TURNS = [p if n % 4 in (0, 3) else pytest.param(*p, marks=pytest.mark.slow) for n, p in enumerate(PLAYED)]
"""Each in one of its languages; over HTTP they are played in the other (`test_random_play.py`)."""


def test_every_script_is_played() -> None:
    assert {s for s, _ in PLAYED} == set(SCRIPTS)


@pytest.mark.parametrize(("script", "language"), IN_TURNS)
def test_every_script_plays_as_it_says(cli: Cli, script: str, language: str) -> None:
    done = cli("admin", "bureau", "play", script, "--lang", language, "--auto", "--json")
    told = lines(done.stdout)
    assert [t["why"] for t in told if t["kind"] == "step" and not t["as_expected"]] == []
    assert done.returncode == 0, done.stderr
    assert told[-1] == {"kind": "end", "steps": len([t for t in told if t["kind"] == "step"]), "failed": 0}
    asked = [t for t in told if t["kind"] == "ask"]
    assert {a["outcome"] for a in asked} == {"known", "unknown"}
    assert all(a["mode"] == "evidence" and a["trace"]["took_ms"] > 0 for a in asked)


def test_a_play_that_goes_otherwise_fails(cli: Cli, case: str) -> None:
    """The expectations have teeth: what is public already is known where the script says it is not."""
    from whoknows.cli.playing import Playing
    from whoknows.client import WhoKnows

    with WhoKnows(cli.server.url, key=cli.keys["chief"]) as wk:
        playing = Playing(wk, case, "zh", as_json=True)
        card = wk.case(case)["roles"][1]["cards"][0]["id"]
        wk.publish_card(case, card)
        assert playing.auto() > 0


def test_a_play_by_hand_shows_what_was_searched_and_met(cli: Cli) -> None:
    typed = "\n".join(
        (
            f"ask 侦探 {QUESTION['zh']}",
            "publish 4",
            f"ask detective {QUESTION['zh']}",
            "publish 4",
            "whisper suspect 今晚不要回家",
            "board",
            "stage",
            "next",
            "dance",
            "ask nobody 谁？",
            "reset",
            "board",
            "quit",
        )
    )
    done = cli("admin", "bureau", "play", "heron", "--lang", "zh", text=typed, COLUMNS="200")
    assert done.returncode == 0, done.stderr
    shown = done.stdout
    assert "检索范围: agent:detective + *" in shown
    assert "✗ 未命中" in shown
    assert "✓ 命中" in shown
    assert "公告板, 来自 informant" in shown
    assert "早已公开，还是同一个副本" in shown
    assert shown.rstrip().endswith("公告板是空的。")
    assert "审问：这个角色知道什么？" in done.stderr
    assert "'nobody'" in done.stderr
    assert "informant (线人)" in done.stderr


def test_a_case_is_closed_after_its_play_unless_it_is_kept(cli: Cli) -> None:
    kept = lines(cli("admin", "bureau", "play", "heron", "--auto", "--keep", "--json").stdout)
    cli.keys["kept"] = kept[-1]["key"]
    assert cli.json("kept", "bureau", "stage")["board"]
    assert cli.json("kept", "bureau", "close", "--yes") == {"deleted": 1}
    assert cli("kept", "bureau", "stage").returncode == 5


def test_each_command_does_its_part(cli: Cli, case: str) -> None:
    assert cli.json("chief", "bureau", "ask", "detective", QUESTION["zh"])["outcome"] == "unknown"
    cards = cli.json("chief", "bureau", "cards")["roles"][1]["cards"]
    copy = cli.json("chief", "bureau", "publish", cards[0]["id"])
    assert cli.json("chief", "bureau", "publish", cards[0]["id"])["memory"]["id"] == copy["memory"]["id"]
    assert cli.json("chief", "bureau", "ask", "detective", QUESTION["zh"])["trace"]["hits"][0]["place"] == "board"
    cli.json("chief", "bureau", "whisper", "suspect", text="从管道里来的耳语")
    assert "从管道里来的耳语" in cli("chief", "bureau", "cards").stdout
    cli.keys["screen"] = cli.json("chief", "bureau", "show-key", "--expires-in", "600")["key"]
    shown = cli("screen", "bureau", "stage").stdout
    assert "4826" in shown
    assert "耳语" in shown
    assert "管道" not in shown
    assert cli("screen", "bureau", "cards").returncode == 4


def test_following_the_stage_tells_each_event_in_a_line(cli: Cli, case: str) -> None:
    before = cli.json("chief", "bureau", "stage")["last_event"]
    cli.json("chief", "bureau", "whisper", "suspect", "今晚不要回家")
    cli.json("chief", "bureau", "ask", "detective", QUESTION["zh"])
    told = lines(cli("chief", "bureau", "follow", "--after", before, "--count", "2", "--json").stdout)
    assert [(t["kind"], t["role"]) for t in told] == [("whispered", "suspect"), ("asked", "detective")]
    plain = cli("chief", "bureau", "follow", "--after", before, "--count", "2").stdout
    assert "asked  detective  unknown  agent:detective + *" in plain


def test_a_reset_asks_first(cli: Cli, case: str) -> None:
    assert cli("chief", "bureau", "reset").returncode == 2
    cli.json("chief", "bureau", "whisper", "suspect", "今晚不要回家")
    cli.json("chief", "bureau", "reset", "--yes")
    assert "今晚不要回家" not in cli("chief", "bureau", "cards").stdout


def test_a_script_is_checked_without_a_server(cli: Cli, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.yaml"
    wrong.write_text("id: mine\ntitle: {zh: 题, en: title}\nroles: []\n", "utf-8")
    done = cli(None, "bureau", "check", str(wrong), WHOKNOWS_URL="http://127.0.0.1:9")
    assert done.returncode == 7
    assert "line 3: roles: 0 items, 2 to 8 are needed" in done.stderr
    assert "steps: this is missing" in done.stderr
    as_json = cli(None, "bureau", "check", str(wrong), "--json")
    assert json.loads(as_json.stdout)["valid"] is False
    assert cli(None, "bureau", "check", str(tmp_path / "none.yaml")).returncode == 3
    from importlib.resources import files

    own = str(files("whoknows.bureau_scripts").joinpath("heron.yaml"))
    assert cli.alone(None, "bureau", "check", own, "--json").returncode == 0


def test_what_cannot_be_opened_says_why(cli: Cli) -> None:
    assert cli("admin", "bureau", "open", "nothing").returncode == 3
    assert cli("admin", "bureau", "open", "heron", "--lang", "fr").returncode == 2
    assert cli("outsider", "bureau", "open", "heron").returncode == 4
    assert cli("admin", "bureau", "stage").returncode == 3
