"""The home folder of somebody who works with coding agents, with doubles of the programs on its path."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .conftest import Cli, Ended

VERSIONS = {"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0", "pi": "1.6.0"}
_CODEX = '''\
#!{python} -IS
"""A double of Codex: its version, and an app server that knows the hooks of its home and which of them are trusted."""
import hashlib, json, os, sys, tomllib
if sys.argv[1:] != ["app-server"]:
    print("{version}")
    sys.exit()
home = os.environ.get("CODEX_HOME") or os.environ["HOME"] + "/.codex"
def read(name):
    try:
        return open(home + "/" + name, encoding="utf-8-sig").read()
    except FileNotFoundError:
        return ""
def hooks():
    state = tomllib.loads(read("config.toml")).get("hooks", {{}}).get("state", {{}})
    for event, groups in json.loads(read("hooks.json") or "{{}}").get("hooks", {{}}).items():
        for g, group in enumerate(groups):
            for h, hook in enumerate(group["hooks"]):
                snake = "".join("_" + c.lower() if c.isupper() else c for c in event)[1:]
                key = f"{{home}}/hooks.json:{{snake}}:{{g}}:{{h}}"
                now = "sha256:" + hashlib.sha256(json.dumps(hook).encode()).hexdigest()
                said = state.get(key, {{}}).get("trusted_hash")
                trust = "untrusted" if said is None else "trusted" if said == now else "modified"
                yield {{"key": key, "eventName": event, "command": hook["command"], "sourcePath": home + "/hooks.json",
                       "currentHash": now, "trustStatus": trust, "enabled": True}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        answer = {{"data": [{{"hooks": list(hooks())}}]}} if asked["method"] == "hooks/list" else {{}}
        print(json.dumps({{"id": asked["id"], "result": answer}}), flush=True)
'''


@dataclass(frozen=True)
class Desk:
    """``desk("connect", "pi", …)`` is typed in its project folder."""

    cli: Cli
    home: Path
    who: str = "main"

    @property
    def project(self) -> Path:
        return self.home / "boss"

    def __call__(self, *arguments: str, **more: str) -> Ended:
        before = Path.cwd()
        os.chdir(self.project)
        try:
            return self.cli(self.who, *arguments, **self.env(**more))
        finally:
            os.chdir(before)

    def json(self, *arguments: str, code: int = 0, **more: str) -> Any:
        done = self(*arguments, "--json", **more)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stdout)

    def refused(self, *arguments: str, code: int, **more: str) -> dict[str, str]:
        done = self(*arguments, "--json", **more)
        assert done.returncode == code, done.stdout + done.stderr
        return json.loads(done.stderr)["error"]

    def env(self, **more: str) -> dict[str, str]:
        folders = {"XDG_DATA_HOME": "share", "XDG_STATE_HOME": "state"}
        path = f"{self.home / 'bin'}:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, **{k: str(self.home / v) for k, v in folders.items()}, **more}

    def routed(self, program: str, directory: Path) -> str | None:
        """The project of a directory, as the server says."""
        asked = [w for w in self.workplaces() if w["program"] == program and w["directory"] == str(directory)]
        return asked[0]["project_id"] if asked else None

    def workplaces(self) -> list[dict[str, Any]]:
        from whoknows.client import WhoKnows

        with WhoKnows(self.cli.server.url, key=self.cli.keys[self.who]) as wk:
            return wk.workplaces()["items"]

    def tree(self) -> dict[str, object]:
        """Everything but what is WhoKnows' own: bytes, modes and links."""
        found: dict[str, object] = {}
        for path in sorted(self.home.rglob("*")):
            if path.relative_to(self.home).parts[0] not in ("share", "state"):
                kind = path.lstat().st_mode
                found[str(path)] = kind, path.read_bytes() if path.is_file() else None
        return found


def furnished(cli: Cli, home: Path) -> Desk:
    """Settings of somebody who used the programs before, a Git repository, and the doubles."""
    (home / "bin").mkdir()
    for name, version in VERSIONS.items():
        script = home / "bin" / name
        script.write_text(
            _CODEX.format(python=sys.executable, version=version) if name == "codex" else f"#!/bin/sh\necho '{version}'\n"
        )
        script.chmod(0o755)
    for name, content in _SETTINGS.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(content)
    desk = Desk(cli, home)
    desk.project.mkdir()
    subprocess.run(["git", "init", "-q", str(desk.project)], check=True)
    return desk


_SETTINGS = {
    ".claude/settings.json": '{\n\t"model": "opus",\n\t"permissions": {"allow": ["Bash(git *)"]}\n}',
    ".codex/config.toml": '# 我的\nmodel = "gpt-5"\n\n[projects."/srv/a.b"]\ntrust_level = "trusted"\n',
    ".codex/hooks.json": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}\r\n',
    ".pi/agent/settings.json": '{"theme": "dark"}\n',
}
