"""The doctor on a coding agent: each thing that can be wrong with it is told, with what to do."""

from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli
from .desk import Desk, furnished

SOUND = {"server", "key", "hook command", "answer to an event", "this directory", "MCP", "tools command"}


@pytest.fixture
def desk(cli: Cli, tmp_path: Path) -> Desk:
    return furnished(cli, tmp_path)


def told(desk: Desk, program: str, code: int = 0, **env: str) -> dict[str, dict[str, Any]]:
    found = desk.json("doctor", program, code=code, **env)["findings"]
    assert not [f for f in found if f["health"] != "ok" and not f["advice"]], "whatever is wrong comes with what to do"
    return {f["about"]: f for f in found}


def wrong(found: dict[str, dict[str, Any]]) -> set[str]:
    busy = ("runs, and has its answer", "describes 9 tools")
    slow = {about for about, f in found.items() if f["detail"].startswith(busy)}
    return {about for about, f in found.items() if f["health"] != "ok"} - slow


def test_a_program_that_is_connected_is_found_sound(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes", "--trust")
    found = told(desk, "codex")
    assert wrong(found) == set()
    assert set(found) == SOUND | {"Codex", "files of Codex", "server of the hooks", "trust of Codex", "own memory of Codex"}
    assert "project boss, stage read-only" in found["this directory"]["detail"]
    assert "recall" in found["MCP"]["detail"]
    assert "0.171.0" in found["Codex"]["detail"]


def test_a_program_that_is_not_connected_is_told_what_to_type(desk: Desk) -> None:
    found = told(desk, "claude-code", code=1)
    assert found["files of Claude Code"]["health"] == "fail"
    assert "whoknows connect claude-code" in found["files of Claude Code"]["advice"]
    assert found["this directory"]["health"] == "warn"
    assert "hook command" not in found, "there is none to run, and that is told already"


def test_a_key_that_acts_as_nobody_is_told_with_the_way_to_another(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes")
    found = told(desk, "pi", code=1, WHOKNOWS_KEY=desk.cli.keys["admin"])
    assert "whoknows keys add member:NAME" in found["answer to an event"]["detail"]


def test_a_rest_after_faults_is_not_taken_for_a_server_that_is_away(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes", "--trust")
    key = "wk_" + "0" * 43
    for _ in range(4):
        found = told(desk, "codex", code=1, WHOKNOWS_KEY=key)
    assert "resting" in found["hook command"]["detail"]
    assert "start the server" not in found["hook command"]["advice"]
    assert "whoknows keys add" in found["answer to an event"]["advice"]


def test_hooks_that_codex_skips_are_a_failure(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes")
    trust = told(desk, "codex", code=1)["trust of Codex"]
    assert (trust["health"], "/hooks" in trust["advice"]) == ("fail", True)
    assert "4 of 4" in trust["detail"]


def test_files_that_were_changed_or_are_gone_are_told_apart(desk: Desk) -> None:
    desk.json("connect", "claude-code", "--yes")
    plugin = desk.home / ".claude" / "skills" / "whoknows"
    assert wrong(told(desk, "claude-code")) == {"own memory of Claude Code"}, "which is on, and not migrated"
    hooks = plugin / "hooks" / "hooks.json"
    hooks.write_bytes(hooks.read_bytes().replace(b'"timeout": 5', b'"timeout": 50'))
    changed = told(desk, "claude-code")["files of Claude Code"]
    assert (changed["health"], "changed since" in changed["detail"]) == ("warn", True)
    hooks.unlink()
    gone = told(desk, "claude-code", code=1)["files of Claude Code"]
    assert (gone["health"], str(hooks) in gone["detail"]) == ("fail", True)
    desk.json("connect", "claude-code", "--yes")
    assert "files of Claude Code" not in wrong(told(desk, "claude-code"))


def test_a_tools_command_that_says_nothing_of_them_is_told(desk: Desk) -> None:
    desk.json("connect", "claude-code", "--yes")
    assert "describes 9 tools" in told(desk, "claude-code")["tools command"]["detail"]
    (desk.home / "share" / "whoknows" / "hook" / "whoknows_hook" / "relay.py").write_text("nothing = 1\n")
    found = told(desk, "claude-code", code=1)["tools command"]
    assert (found["health"], "whoknows connect claude-code" in found["advice"]) == ("fail", True)


def test_settings_that_switch_all_hooks_off_are_told(desk: Desk) -> None:
    desk.json("connect", "claude-code", "--yes")
    (desk.home / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert told(desk, "claude-code", code=1)["hooks of Claude Code"]["health"] == "fail"
    (desk.home / ".claude" / "settings.json").write_text('{"enabledPlugins": {"whoknows@skills-dir": false}}')
    assert "plugin enable" in told(desk, "claude-code", code=1)["plugin"]["advice"]


def test_without_a_server_every_way_to_it_is_told_once(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes", "--trust")
    with (desk.home / "share" / "whoknows" / "hook" / "servers" / "codex").open("a") as servers:
        servers.write("http://127.0.0.1:9\n")
    found = told(desk, "codex", code=1, WHOKNOWS_URL="http://127.0.0.1:9")
    assert wrong(found) == {"server", "files of Codex", "hook command", "answer to an event", "this directory", "MCP"}
    assert "refused" in found["hook command"]["detail"]
    for _ in range(2):
        found = told(desk, "codex", code=1, WHOKNOWS_URL="http://127.0.0.1:9")
    assert found["rest after faults"]["health"] == "warn"
    assert "Probe" in found["faults that were noted"]["detail"]


def test_a_server_that_the_program_was_not_connected_to_is_told_with_the_way_to_change_it(desk: Desk) -> None:
    desk.json("connect", "codex", "--yes", "--trust")
    found = told(desk, "codex", code=1, WHOKNOWS_URL="http://127.0.0.1:9")
    server = found["server of the hooks"]
    assert (server["health"], "nothing is sent there" in server["detail"]) == ("fail", True)
    assert "whoknows connect codex" in server["advice"]
    assert "other_server" in found["hook command"]["detail"]
    assert found["faults that were noted"]["detail"].count("whoknows connect") == 0, "what to do is said once"
    servers = desk.home / "share" / "whoknows" / "hook" / "servers" / "codex"
    servers.unlink()
    assert told(desk, "codex", code=1)["server of the hooks"]["health"] == "fail"
    desk.json("connect", "codex", "--yes")
    assert told(desk, "codex")["server of the hooks"]["health"] == "ok"


@pytest.mark.parametrize("program", ["codex", "pi"])
def test_without_a_key_in_the_environment_the_hook_asks_nobody(desk: Desk, program: str) -> None:
    found = told(desk, program, code=1, WHOKNOWS_KEY="")
    assert "WHOKNOWS_KEY" in found["key of the hooks"]["detail"]
    assert found["key of the hooks"]["health"] == "fail"
    assert "hook command" not in found


def test_a_program_that_is_not_here_or_older_than_was_tried_is_told(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes")
    (desk.home / "bin" / "pi").write_text("#!/bin/sh\necho 1.2.3\n")
    found = told(desk, "pi")
    assert "older" in found["Pi"]["detail"]
    assert wrong(found) == {"Pi"}
    (desk.home / "bin" / "pi").unlink()
    assert "not on the PATH" in told(desk, "pi")["Pi"]["detail"]


def test_a_project_that_is_off_is_told(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes", "--as", "resting", "--stage", "off")
    directory = told(desk, "pi")["this directory"]
    assert (directory["health"], "stage resting read-only" in directory["advice"]) == ("warn", True)


def test_the_doctor_without_a_name_looks_at_what_is_connected_too(desk: Desk) -> None:
    desk.json("connect", "pi", "--yes")
    done = desk("doctor", "--json", WHOKNOWS_DATABASE_URL="postgresql://nobody@127.0.0.1:9/none")
    assert '"files of Pi"' in done.stdout
    assert '"files of Codex"' not in done.stdout
