"""`whoknows stage` and `whoknows report`, and `--project .`: by the directory one is in, as the server routes it."""

import json
import os
from pathlib import Path

import pytest

from .conftest import Cli


def _registered(cli: Cli, directory: Path, project: str, who: str = "main") -> None:
    from whoknows.client import WhoKnows

    with WhoKnows(cli.server.url, key=cli.keys[who]) as wk:
        wk.register_workplace("claude-code", str(directory), project)


@pytest.fixture
def desk(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that is registered for a project of its own, and where one is."""
    place = tmp_path / "老板"
    (place / "src").mkdir(parents=True)
    _registered(cli, place, tmp_path.name)
    monkeypatch.chdir(place / "src")
    return place


def test_a_stage_is_shown_changed_step_by_step_and_taken_back(cli: Cli, desk: Path) -> None:
    project = desk.parent.name
    shown = cli("main", "stage")
    assert shown.returncode == 0, shown.stderr
    assert f"{project} is off" in shown.stdout
    assert "next: read-only" in shown.stdout
    skipped = cli("main", "stage", "governed", "--yes")
    assert (skipped.returncode, "from off to read-only first" in skipped.stderr) == (6, True)
    done = cli("main", "stage", "read-only", "--reason", "看两周", "--yes")
    assert f"{project}: off → read-only" in done.stdout
    assert f"{project} is read-only" in done.stdout
    forward = cli("main", "stage", ".", "governed", "--yes")
    assert "the report of read-only is empty" in forward.stdout, "a warning, and no more"
    assert "no member is behind this key, and so nothing is learned" in forward.stdout
    assert cli.json("main", "stage", "--project", str(desk))["stage"] == "governed"
    told = cli("main", "stage", project).stdout
    assert "看两周" in told
    assert "off → read-only" in told
    unreachable = cli("main", "stage", "team", "--yes")
    assert (unreachable.returncode, "banks route" in unreachable.stderr) == (6, True)
    back = cli.json("main", "stage", "off", "--yes")
    assert (back["stage"], back["native_memory"], len(back["history"])) == ("off", [], 3)


def test_a_stage_is_not_changed_before_somebody_agrees(cli: Cli, desk: Path) -> None:
    asked = cli("main", "stage", "read-only")
    assert asked.returncode == 2
    assert "--yes" in asked.stderr
    assert "off → read-only" in asked.stdout
    assert cli.json("main", "stage")["stage"] == "off"
    as_json = cli("main", "stage", "read-only", "--json")
    assert (as_json.returncode, as_json.stdout) == (2, "")
    for wrong in (("a", "b", "off"), ("sideways", "up"), ("boss", "--project", "."), ("--reason", "x")):
        assert cli("main", "stage", *wrong).returncode == 2, wrong


def test_memories_go_to_the_project_of_the_directory_and_come_from_there(cli: Cli, desk: Path) -> None:
    project = desk.parent.name
    kept = cli.json("main", "capture", "老板项目的预发端口是 5433", "--project", ".")
    assert kept["memory"]["project_id"] == project
    cli.json("main", "capture", "厨房项目的预发端口是 6000", "--project", "厨房")
    everywhere = cli.json("main", "capture", "端口要写进文档里")["memory"]["id"]
    recalled = cli.json("main", "recall", "预发端口是多少", "--project", str(desk / "src"), "--min-score", "0")
    found = {m["id"]: m["project_id"] for m in recalled["memories"]}
    assert set(found.values()) == {project, None}
    assert {kept["memory"]["id"], everywhere} <= set(found)
    named = cli.json("main", "recall", "预发端口是多少", "--project", project, "--min-score", "0")
    assert {m["project_id"] for m in named["memories"]} == {project}


def test_what_is_captured_for_a_directory_is_kept_for_all_programs_of_the_person(cli: Cli, desk: Path) -> None:
    cli.json("admin", "members", "add", "ana-at-her-desk")
    for agent in ("her-claude", "her-codex"):
        cli.json("admin", "agents", "add", agent, "--account", "ana-at-her-desk")
        cli.keys[agent] = cli.json("admin", "keys", "add", agent)["key"]
    _registered(cli, desk, "her-project", "her-claude")
    cli.json("her-claude", "stage", "her-project", "read-only", "--yes")
    assert "✓ account" in cli("her-claude", "stage", "her-project").stdout
    kept = cli.json("her-claude", "capture", "部署只在星期二进行", "--project", ".")["memory"]["id"]
    alone = cli.json("her-claude", "capture", "部署的笔记只给自己看", "--project", "her-project")["memory"]["id"]
    seen = {m["id"] for m in cli.json("her-codex", "recall", "部署", "--project", ".", "--min-score", "0")["memories"]}
    assert (kept in seen, alone in seen) == (True, False)


def test_an_unregistered_directory_is_an_error_that_says_the_way(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "boss").mkdir()
    for command in (
        ("capture", "x", "--project", "."), ("recall", "x", "--project", "."), ("stage",), ("stage", "./boss", "read-only"),
        ("report",), ("report", "--project", str(tmp_path)), ("recall", "x", "--project", "../"),
    ):  # fmt: skip
        done = cli("main", *command)
        assert done.returncode == 3, (command, done.stdout)
        assert "whoknows connect" in done.stderr, command
    assert cli("main", "recall", "x", "--project", "./nowhere").returncode == 2
    assert cli.json("main", "recall", "x", "--project", "boss")["memories"] == [], "a word is a name, also beside such a folder"


def test_a_word_that_is_neither_a_stage_nor_a_project_is_not_taken_for_one_that_is_off(cli: Cli, desk: Path) -> None:
    assert "if a stage was meant: off, read-only" in cli("main", "stage", "goverened").stdout
    assert "was never connected" not in cli("main", "stage").stdout


def test_a_link_is_asked_by_both_its_names(cli: Cli, desk: Path, tmp_path: Path) -> None:
    os.symlink(desk, tmp_path / "link")
    assert cli.json("main", "stage", str(tmp_path / "link"))["project_id"] == tmp_path.name


def test_an_empty_report_says_what_is_missing(cli: Cli, desk: Path) -> None:
    project = desk.parent.name
    told = cli("main", "report")
    assert told.returncode == 0, told.stderr
    assert f"{project} is off" in told.stdout
    assert "connected in 1 place" in told.stdout
    assert "missing: its stage is off" in told.stdout
    cli.json("main", "stage", "read-only", "--yes")
    assert "whoknows doctor" in cli("main", "report", "--since", "2w").stdout
    chinese = cli("main", "report", "--lang", "zh").stdout
    assert "缺少：这段时间里，read-only 阶段没有收到任何事件" in chinese
    assert "建议：留在 read-only。这个阶段还没有真正的提问" in chinese
    assert "建议：" in cli("main", "report", LC_ALL="zh_CN.UTF-8").stdout, "as the terminal speaks"
    assert cli("main", "report", "--lang", "fr").returncode == 2
    answer = cli.json("main", "report", "--since", "2026-01-31")
    assert answer["suggestion"]["because"] == "no_prompt"
    assert (answer["since"], answer["stages"]) == ("2026-01-31T00:00:00Z", [])
    for bad in ("soon", "7y", "2026-13-01"):
        assert cli("main", "report", "--since", bad).returncode == 2
    assert cli.json("main", "report", project)["project_id"] == project
    assert cli("main", "report", project, "--project", project).returncode == 2
    assert cli.json("outsider", "report", "--project", project)["stage"] == "off", "nobody else's"


def test_a_programs_own_memory_follows_the_stage_and_comes_back(cli: Cli, tmp_path: Path) -> None:
    """Off from `governed` on, once its migration is clean; on again, byte for byte, when no project here is governed."""
    home, work = tmp_path / "home", tmp_path / "work"
    cli.json("admin", "agents", "add", "tidy")  # whose other projects nobody else has governed
    cli.keys["tidy"] = cli.json("admin", "keys", "add", "tidy")["key"]
    own = {"HOME": str(home), "XDG_DATA_HOME": str(home / "share"), "XDG_STATE_HOME": str(home / "state")}
    (home / ".claude").mkdir(parents=True)
    settings = home / ".claude" / "settings.json"
    settings.write_text('{"theme": "dark"}\n')
    for project in ("one", "two"):
        (work / project).mkdir(parents=True)
        name = f"{tmp_path.name}-{project}"
        done = cli("tidy", "connect", "claude-code", "--project", str(work / project), "--as", name, "--yes", **own)
        assert done.returncode == 0, done.stderr
    before = settings.read_bytes()

    def stage(project: str, to: str) -> str:
        done = cli("tidy", "stage", str(work / project), to, "--yes", **own)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "never migrated" in stage("one", "governed")
    assert settings.read_bytes() == before
    clean = {"form": 1, "program": "claude-code", "reconciled": "clean", "backup": None}
    (home / "state" / "whoknows" / "migrations").mkdir(parents=True)
    (home / "state" / "whoknows" / "migrations" / "claude-code.json").write_text(json.dumps(clean))
    refused = cli("tidy", "stage", str(work / "one"), "governed", **own)
    assert (refused.returncode, settings.read_bytes()) == (2, before), "nobody agreed"
    assert "switched off" in stage("one", "governed")
    assert json.loads(settings.read_text())["autoMemoryEnabled"] is False
    stage("two", "governed")
    assert "another project is still governed" in stage("one", "off")
    assert json.loads(settings.read_text())["autoMemoryEnabled"] is False
    assert "switched on again" in stage("two", "read-only")
    assert settings.read_bytes() == before
