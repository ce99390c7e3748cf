"""The packages as they are shipped: what they say of each other and of the hook agrees, and no key is in them."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from whoknows import __version__
from whoknows.connect.faults import ConnectFault
from whoknows.connect.places import Places
from whoknows.connect.wired import TOLD, Wiring, marketplace_plugin
from whoknows.domain.harness import Program
from whoknows.hooks.install import plugin_command, plugin_tools

from .test_carrying_out import places_in

ROOT = Path(__file__).parents[3]
PACKAGES = ROOT / "src" / "whoknows" / "connect" / "packages"
EVENTS = {"SessionStart", "UserPromptSubmit", "SubagentStart", "Stop"}


def said(*parts: str) -> Any:
    return json.loads(PACKAGES.joinpath(*parts).read_bytes())


@pytest.mark.parametrize("program", [Program.CLAUDE_CODE, Program.CODEX])
def test_the_hooks_run_the_command_and_wait_for_it_briefly(program: Program) -> None:
    events = said(program, "hooks", "hooks.json")["hooks"]
    hooks = [h for groups in events.values() for g in groups for h in g["hooks"]]
    assert set(events) == EVENTS
    assert {h["command"] for h in hooks} == {plugin_command(program)}
    assert {h["timeout"] for h in hooks} == {5}
    assert not [h for h in hooks if "onFailure" in h or h["type"] != "command"], "a hook may never stop a prompt"


@pytest.mark.parametrize("program", [Program.CLAUDE_CODE, Program.CODEX])
def test_the_tools_are_started_by_the_command_that_hooks_run(program: Program) -> None:
    server = said(program, ".mcp.json")["mcpServers"]["whoknows"]
    assert [server["command"], *server["args"]] == plugin_tools(program)
    match program:
        case Program.CLAUDE_CODE:
            assert server["env"] == {name: f"${{{name}:-}}" for name in TOLD}, "each as it is in the environment, or empty"
        case _:
            assert set(server["env_vars"]) == {*TOLD, "XDG_DATA_HOME"}


def test_every_manifest_says_this_release_and_leads_to_its_folder() -> None:
    claude = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_bytes())["plugins"][0]
    codex = json.loads((ROOT / ".agents" / "plugins" / "marketplace.json").read_bytes())["plugins"][0]
    assert (ROOT / claude["source"]).resolve() == PACKAGES / "claude-code"
    assert (ROOT / codex["source"]["path"]).resolve() == PACKAGES / "codex"
    versions = {
        claude["version"],
        said("claude-code", ".claude-plugin", "plugin.json")["version"],
        said("codex", ".codex-plugin", "plugin.json")["version"],
    }
    assert versions == {__version__}


def test_no_package_holds_a_key_or_a_way_to_write_one_down() -> None:
    texts = [p.read_text("utf-8") for p in PACKAGES.rglob("*") if p.is_file() and "node_modules" not in p.parts]
    assert not [t for t in texts if re.search(r"wk_[A-Za-z0-9]", t)]


def test_an_agent_that_is_named_goes_with_the_calls_of_the_tools(tmp_path: Path) -> None:
    named = Wiring(places_in(tmp_path), agent="coder")
    for program, name in ((Program.CLAUDE_CODE, ".mcp.json"), (Program.CODEX, "config.toml")):
        (piece,) = [p for p in named.pieces(program) if p.path.name == name]
        assert b"coder" in piece.added(None)
        (piece,) = [p for p in Wiring(places_in(tmp_path)).pieces(program) if p.path.name == name]
        assert b"X-Agent" not in piece.added(None)


@pytest.mark.parametrize("program", [Program.CLAUDE_CODE, Program.CODEX])
def test_a_home_whose_name_is_no_text_is_refused_by_name(program: Program) -> None:
    with pytest.raises(ConnectFault) as fault:
        Wiring(Places.of({"HOME": os.fsdecode(b"/home/\xff")})).pieces(program)
    assert fault.value.code == "not_utf8"
    assert "XDG_DATA_HOME" in fault.value.detail


@pytest.mark.parametrize(
    ("program", "name", "content", "plugin"),
    [
        (Program.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": {"whoknows@team": true}}', "whoknows@team"),
        (Program.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": {"whoknows@team": false}}', None),
        (Program.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": ["whoknows"]}', None),
        (Program.CLAUDE_CODE, ".claude/settings.json", '{"enabledPlugins": {"whoknows@skills-dir": true}}', None),
        (Program.CODEX, ".codex/config.toml", '[plugins."whoknows@team"]\nenabled = true\n', "whoknows@team"),
        (Program.CODEX, ".codex/config.toml", '[plugins."whoknows@team"]\nenabled = false\n', None),
        (Program.CODEX, ".codex/config.toml", "plugins = 1\n", None),
    ],
)
def test_a_plugin_from_a_marketplace_is_noticed(
    tmp_path: Path, program: Program, name: str, content: str, plugin: str | None
) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(content)
    assert marketplace_plugin(program, places_in(tmp_path)) == plugin
