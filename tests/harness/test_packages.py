"""The packages by themselves, as their programs install them, without `whoknows connect`."""

import json
import shutil
from pathlib import Path

from harness.desk import Desk
from harness.programs import ALL, Codex, Pi, run
from whoknows.domain.harness import Program

ROOT = Path(__file__).parents[2]
PACKAGES = ROOT / "src" / "whoknows" / "connect" / "packages"
PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"


def test_claude_code_finds_nothing_wrong_with_its_plugin_and_the_marketplace(desk: Desk) -> None:
    claude = ALL[Program.CLAUDE_CODE].command("", "", resume=False)[0]
    for what in (PACKAGES / "claude-code", ROOT):
        ran = run([claude, "plugin", "validate", str(what)], desk.folder("boss"), desk.environment(Program.CLAUDE_CODE))
        assert ran.code == 0, ran.out + ran.err
        assert "passed" in ran.out.lower()


def test_pi_installs_its_package_and_removes_it(desk: Desk) -> None:
    folder = desk.folder("boss")
    desk.registers(Program.PI, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    package = desk.home / "whoknows-pi"
    shutil.copytree(PACKAGES / "pi", package)
    (package / "servers").write_text(f"{desk.url}\n")  # what `whoknows connect pi` notes
    env = desk.environment(Program.PI)
    ran = run([*Pi.start()[:2], "install", str(package)], folder, env)
    assert ran.code == 0, ran.out + ran.err
    desk.asks(Program.PI, ASKED, folder)
    assert PORT in desk.beside()
    assert "mcp__whoknows__recall" in [t.full for t in desk.turn.tools]
    ran = run([*Pi.start()[:2], "remove", str(package)], folder, env)
    assert ran.code == 0, ran.out + ran.err
    desk.asks(Program.PI, ASKED, folder)
    assert PORT not in desk.turn.read


def test_codex_installs_its_plugin_from_the_marketplace_of_this_repository(desk: Desk) -> None:
    folder = desk.folder("boss")
    env = desk.environment(Program.CODEX)
    settings = desk.home / ".codex" / "config.toml"
    settings.write_text(settings.read_text().replace("plugins = false", "plugins = true"))
    codex = [str(Codex.path()), "plugin"]
    for arguments in (["marketplace", "add", str(ROOT)], ["add", f"whoknows@{_marketplace()}"]):
        ran = run([*codex, *arguments], folder, env)
        assert ran.code == 0, ran.out + ran.err
    ran = run([*codex, "list", "--json"], folder, env)
    assert "whoknows" in ran.out
    desk.outside.asked.clear()  # with plugins on, Codex looks for its own list of them on the net


def _marketplace() -> str:
    return json.loads((ROOT / ".agents" / "plugins" / "marketplace.json").read_text())["name"]
