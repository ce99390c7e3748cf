"""Memories through the program: written by one, read by those who may, in both languages."""

import json
import subprocess
import sys
import time

from .conftest import Cli


def test_a_team_recalls_what_one_of_it_wrote_and_others_do_not(cli: Cli) -> None:
    written = cli.json(
        "main", "capture", "预发环境数据库端口是 5433", "--team", "backend", "--tag", "staging", "--source", "file:a.md"
    )
    assert written["outcome"] == "stored"
    seen = cli.json("scout", "recall", "预发 数据库 端口")
    assert seen["memories"][0]["id"] == written["memory"]["id"]
    assert seen["memories"][0]["evidence"][0]["locator"] == "a.md"
    assert cli.json("outsider", "recall", "预发 数据库 端口")["outcome"] == "no_match"


def test_a_text_may_come_on_standard_input(cli: Cli) -> None:
    done = cli.alone("main", "capture", "--title", "from a pipe", "--json", text="第一行\nsecond line\n")
    assert json.loads(done.stdout)["memory"]["content"] == "第一行\nsecond line"


def test_an_overturned_fact_comes_back_as_overturned(cli: Cli) -> None:
    old = cli.json("main", "capture", "Deployments happen every Tuesday.")["memory"]["id"]
    cli.json("main", "capture", "Deployments happen every Thursday.", "--supersedes", old, "--reason", "the customer moved it")
    shown = cli("main", "recall", "which day do deployments happen?").stdout
    assert "every Thursday" in shown
    assert "overturned because the customer moved it: Deployments happen every Tuesday." in " ".join(shown.split())


def test_a_memory_is_edited_shared_archived_and_forgotten(cli: Cli) -> None:
    memory = cli.json("main", "capture", "The cache lives on port 6379.")["memory"]["id"]
    edited = cli.json("main", "edit", memory, "--content", "The cache lives on port 6380.", "--tag", "cache")
    assert (edited["content"], edited["tags"], edited["version"]) == ("The cache lives on port 6380.", ["cache"], 2)
    assert cli("outsider", "get", memory).returncode == 3
    cli.json("main", "share", memory, "outsider")
    assert cli.json("outsider", "get", memory)["content"] == "The cache lives on port 6380."
    assert cli.json("outsider", "why", memory)["verdict"] == "visible"
    cli.json("main", "unshare", memory, "outsider")
    assert cli("outsider", "get", memory).returncode == 3
    assert cli.json("main", "archive", memory)["state"] == "archived"
    assert cli.json("main", "restore", memory)["state"] == "active"
    assert cli.json("main", "forget", memory) == {"deleted": 1, "released": 0, "copied": 0}
    assert cli("main", "get", memory).returncode == 3


def test_deleting_many_asks_first(cli: Cli) -> None:
    before = len(cli.json("scout", "list", "--layer", "private")["items"])  # what other tests left it
    cli.json("scout", "capture", "one")
    cli.json("scout", "capture", "two")
    refused = cli("scout", "forget", "--layer", "private")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert len(cli.json("scout", "list", "--layer", "private")["items"]) == before + 2
    assert cli.json("scout", "forget", "--layer", "private", "--yes")["deleted"] == before + 2
    assert cli.json("scout", "list", "--layer", "private")["items"] == []


def test_the_matrix_shows_who_knows_what(cli: Cli) -> None:
    cli.json("main", "capture", "矩阵里的一条", "--team", "backend", "--tag", "matrix")
    shown = cli("main", "knows", "--tag", "matrix").stdout
    assert "矩阵里的一条" in shown
    assert "agent:scout" in shown
    assert "outsider" not in shown


def test_control_characters_of_a_memory_do_not_reach_the_terminal(cli: Cli) -> None:
    cli.json("main", "capture", "evil \x1b]0;title\x07 [bold]text[/bold] \u202eabc", "--tag", "evil")
    shown = cli("main", "list", "--tag", "evil").stdout
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)
    assert "[bold]text[/bold]" in shown


def test_events_tell_of_a_write_without_its_text(cli: Cli) -> None:
    command = [sys.executable, "-c", "from whoknows.cli.main import main; main()", "events", "--json", "--count", "1"]
    written: set[str] = set()
    with subprocess.Popen(command, env=cli.env("scout"), stdout=subprocess.PIPE, text=True) as following:
        assert following.stdout is not None
        deadline = time.monotonic() + 60
        # The stream begins some time after its program: it is written until it has told of one.
        while following.poll() is None:
            assert time.monotonic() < deadline or following.kill()
            assert cli("outsider", "capture", f"not for scout, {len(written)}").returncode == 0
            text = f"an event, number {len(written)}"
            written.add(cli.json("main", "capture", text, "--team", "backend")["memory"]["id"])
        line = following.stdout.readline()
    event = json.loads(line)
    assert event["memory_id"] in written
    assert set(event) == {"id", "kind", "memory_id", "at"}
