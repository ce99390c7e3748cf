"""Coding agents are connected and disconnected: what is written, what is routed, and that the way back is to the byte."""

import hashlib
import json
import threading
import time
import tomllib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from .conftest import Cli
from .desk import Desk, furnished

PROGRAMS = ("claude-code", "codex", "pi")


class _Late(BaseHTTPRequestHandler):
    """A server that answers when nobody who wants to leave would wait any more."""

    def do_GET(self) -> None:
        time.sleep(15)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'{"items": []}')

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def desk(cli: Cli, tmp_path: Path) -> Desk:
    return furnished(cli, tmp_path)


def test_what_claude_code_makes_for_a_plugin_goes_with_it_where_it_is_empty(desk: Desk) -> None:
    made = desk.home / ".claude" / "plugins" / "data" / "whoknows-skills-dir"
    for kept in ([], ["a note.txt"]):
        desk.json("connect", "claude-code", "--yes", "--as", "boss-of-data")
        made.mkdir(parents=True)
        for name in kept:
            (made / name).write_text("by somebody else")
        desk.json("disconnect", "claude-code", "--yes")
        assert made.exists() == bool(kept)


@pytest.mark.parametrize("program", PROGRAMS)
def test_connecting_and_disconnecting_leaves_every_byte_as_it_was(desk: Desk, program: str) -> None:
    before = desk.tree()
    done = desk.json("connect", program, "--yes", "--as", f"boss-{program}")
    assert [d["is"] for d in done["directories"]] == ["new"]
    assert done["stage"] == {"from": "off", "to": "read-only"}
    assert desk.tree() != before
    assert desk.routed(program, desk.project) == f"boss-{program}"
    written = desk.tree()
    again = desk.json("connect", program, "--as", f"boss-{program}")
    assert {f["does"] for f in again["files"]} == {"unchanged"}
    assert desk.tree() == written
    assert desk.cli.keys["main"].encode() not in b"".join(p.read_bytes() for p in desk.home.rglob("*") if p.is_file())
    desk.json("disconnect", program, "--yes")
    assert desk.tree() == before
    assert desk.routed(program, desk.project) is None
    assert "nothing to do: it is not connected" in desk("disconnect", program).stdout


def test_a_dry_run_shows_everything_and_changes_nothing(desk: Desk) -> None:
    before = desk.tree()
    shown = desk("connect", "codex", "--dry-run", "--as", "dry").stdout
    assert "+[mcp_servers.whoknows]" in shown
    assert f"{desk.project} → project dry" in shown
    assert "off → read-only" in shown
    assert desk.tree() == before
    assert desk.routed("codex", desk.project) is None
    assert not (desk.home / "share").exists()


def test_nothing_is_done_where_nobody_agrees(desk: Desk) -> None:
    before = desk.tree()
    assert desk.refused("connect", "codex", code=2)["code"] == "not_confirmed"
    assert desk.tree() == before
    assert desk.routed("codex", desk.project) is None


def test_a_second_directory_is_only_registered_and_leaves_alone(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes")
    written = desk.tree()
    other = desk.home / "other" / "deep"
    other.mkdir(parents=True)
    done = desk.json("connect", "codex", "--project", str(other), "--as", "else", "--yes")
    assert {f["does"] for f in done["files"]} == {"unchanged"}
    assert desk.routed("codex", other) == "else"
    written |= {str(p): (p.lstat().st_mode, None) for p in (other.parent, other)}
    assert desk.tree() == written
    desk.json("disconnect", "codex", "--project", str(other), "--yes")
    assert desk.routed("codex", other) is None
    assert desk.routed("codex", desk.project) == "boss"
    assert desk.tree() == written


def test_the_work_tree_around_here_is_meant_and_a_link_is_known_under_both_names(desk: Desk) -> None:
    below = desk.project / "src" / "deep"
    below.mkdir(parents=True)
    link = desk.home / "link"
    link.symlink_to(desk.project)
    done = desk.json("connect", "pi", "--project", str(link / "src" / "deep"), "--yes")
    assert [d["directory"] for d in done["directories"]] == [str(link), str(desk.project)]
    assert done["project_id"] == "boss"
    assert desk.routed("pi", link) == desk.routed("pi", desk.project) == "boss"


def test_a_further_work_tree_belongs_to_the_project_of_its_repository(desk: Desk) -> None:
    tree = desk.home / "fix-17"
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {desk.project}/.git/worktrees/fix-17\n")
    assert desk.json("connect", "pi", "--project", str(tree), "--dry-run")["project_id"] == "boss"


def test_a_directory_is_moved_to_another_project_only_when_it_is_said_so(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes", "--as", "first")
    shown = desk("connect", "pi", "--as", "second", "--dry-run").stdout
    assert "project second (it was first)" in shown
    desk.json("connect", "pi", "--yes", "--as", "second")
    assert desk.routed("pi", desk.project) == "second"
    again = desk.json("connect", "pi", "--move")
    assert (again["project_id"], [d["is"] for d in again["directories"]]) == ("second", ["registered"])


def test_a_further_program_joins_the_project_of_the_directory_where_there_is_one(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes", "--as", "joined")
    assert desk.json("connect", "codex", "--yes")["project_id"] == "joined"
    desk.json("connect", "codex", "--yes", "--as", "apart")
    assert desk.json("connect", "codex", "--dry-run")["project_id"] == "apart", "its own before the others'"
    assert desk.json("connect", "claude-code", "--dry-run")["project_id"] == "boss", "they do not agree: the folder's name"


def test_one_program_is_connected_and_no_other(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes")
    assert desk.routed("claude-code", desk.project) is None
    assert not (desk.home / ".claude" / "skills").exists()


def test_a_stage_that_somebody_chose_stays_and_another_is_reached_step_by_step(desk: Desk) -> None:
    assert desk.json("connect", "pi", "--yes", "--as", "staged", "--stage", "governed")["stage"]["to"] == "governed"
    assert desk.json("connect", "codex", "--yes", "--as", "staged")["stage"] == {"from": "governed", "to": "governed"}
    assert desk.json("connect", "pi", "--yes", "--as", "staged", "--stage", "off")["stage"]["to"] == "off"
    kept = desk.json("connect", "pi", "--as", "staged")
    assert kept["stage"] == {"from": "off", "to": "off"}, "off was chosen: it is not a new project"


def test_a_stage_that_cannot_be_reached_is_told_and_the_program_is_connected_all_the_same(desk: Desk) -> None:
    fault = desk.refused("connect", "pi", "--yes", "--as", "unrouted", "--stage", "team", code=6)
    assert "is connected, but the stage stays governed" in fault["detail"]
    assert desk.routed("pi", desk.project) == "unrouted"
    assert desk.json("connect", "pi", "--as", "unrouted")["stage"]["from"] == "governed"


def test_a_program_of_a_governed_project_gives_up_its_own_memory_once_that_is_migrated(desk: Desk) -> None:
    before = desk.tree()
    connect = ("connect", "claude-code", "--yes", "--as", "native", "--stage", "governed")
    (said,) = desk.json(*connect)["native_memory"]
    assert (said["does"], "whoknows migrate claude-code" in said["detail"]) == ("left", True)
    state = desk.home / "state" / "whoknows" / "migrations" / "claude-code.json"
    state.parent.mkdir(parents=True)
    state.write_text('{"form": 1, "reconciled": "clean", "backup": null}')
    assert [n["does"] for n in desk.json(*connect)["native_memory"]] == ["off"]
    settings = desk.home / ".claude" / "settings.json"
    assert json.loads(settings.read_bytes())["autoMemoryEnabled"] is False
    assert desk.json(*connect)["native_memory"] == []
    assert [n["does"] for n in desk.json("disconnect", "claude-code", "--yes")["native_memory"]] == ["on"]
    assert desk.tree() == before


def test_an_agent_that_the_hook_would_not_act_as_is_told(desk: Desk) -> None:
    assert "WHOKNOWS_AGENT=main" in desk.json("connect", "pi", "--agent", "main", "--dry-run")["remarks"][0]
    assert desk.json("connect", "pi", "--dry-run", WHOKNOWS_AGENT="main")["remarks"] == []


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("hooks.json", b'{"hooks": {', "broken_file"),
        ("config.toml", b"model = \n", "broken_file"),
        ("config.toml", b"\xff\xfe", "not_utf8"),
    ],
)
def test_a_file_that_cannot_be_read_stops_everything_before_it_begins(desk: Desk, name: str, content: bytes, code: str) -> None:
    (desk.home / ".codex" / name).write_bytes(content)
    before = desk.tree()
    fault = desk.refused("connect", "codex", "--yes", "--as", "broken", code=7)
    assert fault["code"] == code
    assert name in fault["detail"]
    assert desk.tree() == before
    assert desk.routed("codex", desk.project) is None


def test_a_file_that_is_read_only_stops_everything_and_nothing_stays_registered(desk: Desk) -> None:
    (desk.home / ".codex" / "config.toml").chmod(0o444)
    before = desk.tree()
    fault = desk.refused("connect", "codex", "--yes", code=1)
    assert fault["code"] == "read_only"
    assert desk.tree() == before
    assert desk.routed("codex", desk.project) is None


def test_without_a_server_nothing_is_connected_and_the_way_back_is_open(desk: Desk) -> None:
    before = desk.tree()
    assert desk.refused("connect", "codex", "--yes", code=8, WHOKNOWS_URL="http://127.0.0.1:9")["code"] == "server_unreachable"
    assert desk.tree() == before
    desk.json("connect", "codex", "--yes")
    done = desk.json("disconnect", "codex", "--yes", WHOKNOWS_URL="http://127.0.0.1:9")
    assert "stay registered" in done["remarks"][0]
    assert desk.tree() == before


@pytest.mark.slow
def test_a_silent_server_does_not_keep_anybody_from_leaving(desk: Desk) -> None:
    before = desk.tree()
    desk.json("connect", "codex", "--yes")
    silent = ThreadingHTTPServer(("127.0.0.1", 0), _Late)
    silent.daemon_threads = True
    threading.Thread(target=silent.serve_forever, args=(0.05,), daemon=True).start()
    try:
        done = desk.json("disconnect", "codex", "--yes", WHOKNOWS_URL=f"http://127.0.0.1:{silent.server_address[1]}")
    finally:
        silent.shutdown()
        silent.server_close()
    assert "took too long" in done["remarks"][0]
    assert desk.tree() == before


def test_a_directory_that_is_no_project_is_refused_before_anything_is_asked(desk: Desk) -> None:
    before = desk.tree()
    for directory, told in (("/", "the whole file system"), ("/home", "a home directory")):
        said = desk.refused("connect", "claude-code", "--project", directory, code=7)
        assert (said["code"], told in said["detail"]) == ("invalid", True), said
    assert desk.tree() == before


def test_a_key_that_only_the_keychain_has_is_not_enough_for_the_hook_and_that_is_told(desk: Desk) -> None:
    chain = desk.home / "chain"
    chain.write_text(json.dumps({f"whoknows {desk.cli.server.url}": desk.cli.keys["main"]}))
    keychain = {"PYTHON_KEYRING_BACKEND": "memory_keychain.Keychain", "TEST_KEYCHAIN": str(chain)}
    asked = ("connect", "pi", "--project", str(desk.project), "--dry-run", "--json")
    done = desk.cli.alone(None, *asked, **desk.env(**keychain))
    (remark,) = json.loads(done.stdout)["remarks"]
    assert f"keyring get whoknows {desk.cli.server.url}" in remark
    assert desk.json(*asked[:-1])["remarks"] == []
    assert desk.refused("connect", "pi", code=5, WHOKNOWS_KEY="")["code"] == "no_key"


def test_what_the_programs_get_is_what_they_understand(desk: Desk) -> None:
    for program in PROGRAMS:
        desk.json("connect", program, "--yes")
    hook = str(desk.home / "share" / "whoknows" / "hook" / "whoknows-hook")
    plugin = desk.home / ".claude" / "skills" / "whoknows"
    claude = json.loads((plugin / "hooks" / "hooks.json").read_bytes())["hooks"]
    assert set(claude) == {"SessionStart", "UserPromptSubmit", "SubagentStart", "Stop"}
    assert {(h["command"], *h["args"]) for groups in claude.values() for g in groups for h in g["hooks"]} == {
        (hook, "claude-code")
    }
    server = json.loads((plugin / ".mcp.json").read_bytes())["mcpServers"]["whoknows"]
    assert [server["command"], *server["args"]] == [hook, "mcp", "claude-code", "--url", desk.cli.server.url]
    assert server["env"]["WHOKNOWS_KEY"] == "${WHOKNOWS_KEY:-}"
    (described,) = (desk.home / "state" / "whoknows").glob("tools-*")
    assert len(json.loads(described.read_bytes())["listed"]["tools"]) == 9, (
        "as this server describes them, before the first start"
    )
    table = tomllib.loads((desk.home / ".codex" / "config.toml").read_text())["mcp_servers"]["whoknows"]
    assert [table["command"], *table["args"]] == [hook, "mcp", "codex", "--url", desk.cli.server.url]
    assert {"WHOKNOWS_KEY", "WHOKNOWS_URL"} <= set(table["env_vars"]), "Codex hands on only what is named"
    codex = json.loads((desk.home / ".codex" / "hooks.json").read_bytes())["hooks"]
    assert [h["command"] for g in codex["Stop"] for h in g["hooks"]] == ["say done", f"{hook} codex"]
    assert {h["type"] for groups in codex.values() for g in groups for h in g["hooks"]} == {"command"}, "http loses the file"
    assert "compact" in codex["SessionStart"][0]["matcher"]
    assert (desk.home / ".pi" / "agent" / "extensions" / "whoknows" / "package.json").exists()


def test_tools_by_address_of_an_earlier_release_become_the_command_and_the_way_back_is_the_same(desk: Desk) -> None:
    before = desk.tree()
    for program in ("claude-code", "codex"):
        desk.json("connect", program, "--yes")
    written = desk.tree()
    url, plugin = desk.cli.server.url, desk.home / ".claude" / "skills" / "whoknows" / ".mcp.json"
    config = desk.home / ".codex" / "config.toml"
    table = (
        f'[mcp_servers.whoknows]\nurl = "{url}/mcp"\nbearer_token_env_var = "WHOKNOWS_KEY"\nstartup_timeout_sec = 5\n'
        '\n[mcp_servers.whoknows.http_headers]\nX-Machine = "this"\n'
    )
    text = config.read_text()
    _as_if_written(desk, "codex", config, text[: text.index("[mcp_servers.whoknows]")] + table)
    _as_if_written(desk, "claude-code", plugin, json.dumps({"mcpServers": {"whoknows": {"type": "http", "url": f"{url}/mcp"}}}))
    for program in ("claude-code", "codex"):
        assert {f["does"] for f in desk.json("connect", program, "--yes")["files"]} == {"unchanged", "edit"}
    assert desk.tree() == written
    for program in ("claude-code", "codex"):
        desk.json("disconnect", program, "--yes")
    assert desk.tree() == before


def _as_if_written(desk: Desk, program: str, path: Path, text: str) -> None:
    """``text`` stands there, and the record says that we wrote it."""
    (record,) = desk.home.glob(f"*/whoknows/connect/{program}.json")
    was = hashlib.sha256(path.read_bytes()).hexdigest()
    path.write_text(text)
    said = record.read_text()
    assert was in said
    record.write_text(said.replace(was, hashlib.sha256(path.read_bytes()).hexdigest()))


def test_a_plugin_from_a_marketplace_is_not_doubled(desk: Desk) -> None:
    (desk.home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"whoknows@whoknows": true}}')
    done = desk.json("connect", "claude-code", "--yes")
    assert "is there already" in done["remarks"][0]
    assert not (desk.home / ".claude" / "skills").exists()
    assert (desk.home / "share" / "whoknows" / "hook" / "whoknows-hook").exists()
    assert "stays" in desk.json("disconnect", "claude-code", "--yes")["remarks"][0]


def test_codex_is_told_to_trust_only_when_its_person_says_so(desk: Desk) -> None:
    before = desk.tree()
    assert "/hooks" in desk.json("connect", "codex", "--yes")["next"][0]
    assert b"trusted_hash" not in (desk.home / ".codex" / "config.toml").read_bytes()
    trusted = desk.json("connect", "codex", "--trust", "--yes")["trusted"]
    hooks = desk.home / ".codex" / "hooks.json"
    events = ("session_start:0", "user_prompt_submit:0", "subagent_start:0", "stop:1")
    assert set(trusted) == {f"{hooks}:{e}:0" for e in events}, "that of somebody else, stop:0:0, is not ours to trust"
    assert not desk.json("connect", "codex", "--trust")["trust"], "they are trusted already"
    desk.json("disconnect", "codex", "--yes")
    assert desk.tree() == before


def test_hooks_that_codex_skips_are_no_connection_that_is_well(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes")
    again = desk("connect", "codex").stdout
    assert ("nothing to do" in again, "whoknows connect codex --trust" in again) == (True, True)
    desk.json("connect", "codex", "--trust", "--yes")
    assert "/hooks" not in desk("connect", "codex").stdout


def test_a_first_connection_says_what_the_program_needs_and_what_the_stage_means(desk: Desk) -> None:
    shown = desk("connect", "pi", "--yes", "--as", "first-of-all").stdout
    assert "off → read-only: what your own memory knows is put beside prompts" in shown
    assert "Pi needs WHOKNOWS_URL and WHOKNOWS_KEY in its environment" in shown, "this server has a port of its own"
    assert "in its environment" not in desk("connect", "pi", "--as", "first-of-all").stdout
    assert "memories and the stages of projects stay" in desk("disconnect", "pi", "--yes").stdout


def test_the_key_of_an_administrator_is_refused_with_the_way_to_another(desk: Desk) -> None:
    fault = desk.refused("connect", "pi", code=4, WHOKNOWS_KEY=desk.cli.keys["admin"])
    assert "whoknows keys add member:NAME" in fault["detail"]


def test_trust_that_was_given_within_codex_goes_with_the_hooks(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes")
    hooks, config = (desk.home / ".codex" / n for n in ("hooks.json", "config.toml"))
    with config.open("a") as file:
        for place in ("stop:1:0", "stop:0:0"):
            file.write(f'\n[hooks.state."{hooks}:{place}"]\ntrusted_hash = "sha256:a"\n')
    desk.json("disconnect", "codex", "--yes")
    left = config.read_text()
    assert "stop:0:0" in left
    assert "stop:1:0" not in left
    assert "whoknows" not in left.replace(str(desk.home), "")


def test_trust_is_for_codex_alone_and_needs_it(desk: Desk) -> None:
    assert desk.refused("connect", "pi", "--trust", code=2)["code"] == "usage"
    (desk.home / "bin" / "codex").unlink()
    before = desk.tree()
    assert desk.refused("connect", "codex", "--trust", "--yes", code=8)["code"] == "no_codex"
    assert desk.tree() == before
