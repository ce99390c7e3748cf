"""`whoknows distill` and `whoknows distilled`, and what chat keeps by itself, on the real server as people type it."""

import json
import time
from pathlib import Path

import pytest

from .conftest import Cli

DECISION = "We decided to use PostgreSQL for the billing service, not MySQL."
OTHER = "We decided to use Redis for the session cache, not Memcached."
PATIENCE = 60.0


@pytest.fixture(scope="module")
def dora(cli: Cli) -> str:
    cli.json("admin", "members", "add", "dora")
    cli.keys["dora"] = cli.json("admin", "keys", "add", "member:dora")["key"]
    return "dora"


def kept(cli: Cli, who: str) -> list[str]:
    return [m["content"] for m in cli.json(who, "list")["items"]]


def test_a_plain_transcript_is_tried_distilled_shown_and_undone(cli: Cli, dora: str, tmp_path: Path) -> None:
    file = tmp_path / "talk.txt"
    file.write_text(f"user: good morning\n用户：{DECISION}\nassistant: noted\n", "utf-8")
    dry = cli.json(dora, "distill", str(file), "--project", "boss", "--dry-run")
    assert ([k["memory"]["content"] for k in dry["kept"]], dry["batchIds"]) == ([DECISION], [])
    assert kept(cli, dora) == []
    done = cli(dora, "distill", str(file), "--project", "boss")
    assert done.returncode == 0, done.stderr
    assert f"kept: {DECISION}" in done.stdout
    assert "talk.txt#2" in done.stdout
    assert kept(cli, dora) == [DECISION]
    (batch,) = cli.json(dora, "distilled", "list")["items"]
    assert "greeting" in cli(dora, "distilled", "show", batch["batchId"]).stdout
    again = cli.json(dora, "distill", str(file), "--project", "boss")
    assert (again["kept"], {s["why"] for s in again["skipped"]}) == ([], {"repeat"})
    refused = cli(dora, "distilled", "undo", batch["batchId"])
    assert refused.returncode == 2
    assert kept(cli, dora) == [DECISION]
    assert cli.json(dora, "distilled", "undo", batch["batchId"], "--yes") == {"deleted": 1, "restored": 0, "released": 0}
    assert kept(cli, dora) == []


def test_json_lines_name_their_own_projects_and_ids(cli: Cli, dora: str) -> None:
    lines = [
        {"id": "a", "projectId": "p1", "role": "user", "content": DECISION, "more": 1},
        {"id": "b", "projectId": "p2", "role": "user", "content": OTHER},
    ]
    done = cli.json(dora, "distill", "-", text="\n".join(json.dumps(line) for line in lines))
    assert [(k["messageId"], k["memory"]["projectId"]) for k in done["kept"]] == [("a", "p1"), ("b", "p2")]
    for batch in done["batchIds"]:
        cli.json(dora, "distilled", "undo", batch, "--yes")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("hello there", "line 1 does not say who speaks"),
        ('{"role": "user"}', "has no `content`"),
        ('{"role": "user", "content": "x"', "line 1 is no JSON"),
        ('[{"role": "developer", "content": "x"}]', "nobody who speaks"),
        ("user: hello", "belongs to no project"),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(cli: Cli, dora: str, text: str, says: str) -> None:
    project = [] if "project" in says else ["--project", "boss"]
    done = cli(dora, "distill", "-", *project, text=text)
    assert (done.returncode, says in done.stderr) == (7, True), done.stderr
    assert cli(dora, "distill", "/nowhere/at/all", "--project", "boss").returncode == 3


def test_what_is_said_in_chat_is_kept_behind_it_and_told_with_the_next_message(cli: Cli, dora: str) -> None:
    """Without a model, by the server's own distiller, in its own time."""
    conversation = cli.json(dora, "chat", DECISION, "--project", "boss")["conversationId"]
    until = time.monotonic() + PATIENCE
    while DECISION not in kept(cli, dora):
        assert time.monotonic() < until, "nothing was kept"
        time.sleep(0.2)
    next_one = cli(dora, "chat", "what now?", "--project", "boss", "--conversation", conversation)
    assert f"remembered: {DECISION}" in next_one.stderr
    assert f"remembered: {DECISION}" in cli(dora, "conversations", "show", conversation).stdout
    silent = cli.json(dora, "chat", OTHER, "--project", "boss", "--no-distill")
    assert silent["distillation"] == "off"
    assert cli.json(dora, "distilled", "auto", "off", "--project", "boss")["automatic"] is False
    assert cli.json(dora, "chat", OTHER, "--project", "boss")["distillation"] == "off"
    assert cli.json(dora, "distilled", "auto")["automatic"] is True
    assert cli.json(dora, "distilled", "auto", "default", "--project", "boss")["automatic"] is True
    assert cli(dora, "distilled", "auto", "maybe").returncode == 2
    assert OTHER not in kept(cli, dora)
