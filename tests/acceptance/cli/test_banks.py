"""`whoknows banks`, `whoknows ingest` and `whoknows corrections`, as the program shows them."""

from .conftest import Cli


def test_a_project_is_routed_and_its_facts_go_there(cli: Cli) -> None:
    assert cli("main", "banks", "route", "灯塔", "--to", "backend").returncode == 4
    routed = cli.json(
        "admin", "banks", "route", "灯塔", "--to", "backend", "--remote", "git@git.example.org:acme/lighthouse.git"
    )
    assert routed == {"project_id": "灯塔", "team_id": "backend", "git_remotes": ["git.example.org/acme/lighthouse"]}
    for who, told in (("main", "goes to the team backend"), ("outsider", "goes to no team that you know of")):
        assert told in cli(who, "banks", "show", "灯塔").stdout
    listed = cli("scout", "banks", "list").stdout
    assert "team:backend" in listed
    assert "灯塔" in listed
    assert "灯塔" not in cli("outsider", "banks", "list").stdout

    source = cli.json("main", "capture", "会议纪要：灯塔每四秒闪一次，夜间不变", "--team", "backend")["memory"]["id"]
    fact = ("--source", f"memory:{source}", "--quote", "灯塔每四秒闪一次", "--project", "灯塔", "--team")
    done = cli("main", "ingest", "灯塔四秒一闪", *fact)
    assert done.returncode == 0, done.stderr
    assert "remembered" in done.stdout
    assert "灯塔每四秒闪一次" in done.stdout
    assert cli.json("scout", "recall", "灯塔多久闪一次")["memories"]
    assert cli("outsider", "ingest", "灯塔四秒一闪", *fact).returncode == 3
    assert cli("scout", "ingest", "灯塔四秒一闪", *fact).returncode == 4
    wrong = cli("main", "ingest", "灯塔五秒一闪", *fact[:2], "--quote", "灯塔每五秒闪一次")
    assert (wrong.returncode, wrong.stdout) == (7, "")
    assert cli("main", "ingest", "x").returncode == 2
    neither = cli("admin", "banks", "route", "灯塔")
    assert (neither.returncode, "--nowhere" in neither.stderr) == (2, True)
    assert cli.json("admin", "banks", "route", "灯塔", "--nowhere")["team_id"] is None
    assert cli("main", "ingest", "灯塔四秒一闪", *fact).returncode == 3


def test_corrections_are_recorded_summed_up_and_taken_back(cli: Cli) -> None:
    wrong = cli.json("main", "capture", "灯塔的颜色是红色")["memory"]["id"]
    done = cli("main", "corrections", "add", "灯塔的颜色是白色", "--about", wrong, "--supersede", "--harness", "codex")
    assert done.returncode == 0, done.stderr
    assert "recorded in agent:main" in done.stdout
    assert "灯塔的颜色是红色" in done.stdout  # overturned
    for at in ("2026-01-05T10:00:00Z", "2026-01-13T10:00:00Z"):
        cli.json("main", "corrections", "add", "缩进用四个空格", "--subject", "缩进", "--at", at)
    told = cli("main", "corrections", "summary", "--weeks", "4", "--at", "2026-01-26T00:00:00Z").stdout
    assert "2026-W02, 2026-W03" in told
    assert "before: 2025-12-29 00:00:00Z to 2026-01-26 00:00:00Z: 2 corrections of 1 thing, 1 at least twice" in told
    assert "after: 2026-01-26 00:00:00Z to 2026-02-23 00:00:00Z: 0 corrections of 0 things, 0 at least twice" in told
    listed = cli("main", "corrections", "list").stdout
    assert "缩进用四个空格" in listed
    assert "codex" in listed
    assert cli.json("scout", "corrections", "list")["items"] == []
    one = cli.json("main", "corrections", "list")["items"][0]["id"]
    assert cli("scout", "corrections", "remove", one).returncode == 3
    assert "deleted: 1" in cli("main", "corrections", "remove", one).stdout
    cli("main", "forget", cli.json("main", "recall", "灯塔的颜色")["memories"][0]["id"], "--yes")
    assert "the text went with" in cli("main", "corrections", "list").stdout
