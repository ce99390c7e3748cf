"""Where the real programs are, and how each of them is run once without a person in front of it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from whoknows.domain.harness import Program

PATIENCE = 60.0
"""Seconds after which a run is ended: nothing here takes five."""
QUIET = """\
# What I do not want: news of itself, and lists of plugins from the net.
check_for_update_on_startup = false

[analytics]
enabled = false

[features]
plugins = false  # none from elsewhere
"""
"""A person's own settings of Codex, in their own words."""
FOLDER = Path(os.environ.get("WHOKNOWS_HARNESS", "build/harness")).resolve()
MODULES = FOLDER / "node_modules"


@dataclass(frozen=True)
class Ran:
    """How a program ended."""

    code: int
    out: str
    err: str
    seconds: float


class Runs(Protocol):
    """One program. ``model`` is the address of the double, ``resume`` goes on with the last session of ``cwd``."""

    name: Program

    def environment(self, home: Path, model: str) -> dict[str, str]: ...

    def command(self, prompt: str, model: str, *, resume: bool) -> list[str]: ...


@dataclass(frozen=True)
class ClaudeCode:
    name: Program = Program.CLAUDE_CODE

    def environment(self, home: Path, model: str) -> dict[str, str]:
        return {
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": f"not-a-key-{os.getpid()}",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        }

    def command(self, prompt: str, model: str, *, resume: bool) -> list[str]:
        # A person has said yes to our tools once; forget stays out of that.
        allowed = ["--allowedTools", "mcp__plugin_whoknows_whoknows,mcp__whoknows"]
        return [
            str(claude_code()),
            "-p",
            *(["-c"] if resume else []),
            *allowed,
            "--",
            prompt,
        ]


@dataclass(frozen=True)
class Codex:
    name: Program = Program.CODEX

    def environment(self, home: Path, model: str) -> dict[str, str]:
        settings = home / ".codex" / "config.toml"
        if not settings.exists():
            settings.parent.mkdir(parents=True, exist_ok=True)
            settings.write_text(QUIET)
        return {"DOUBLE_KEY": f"not-a-key-{os.getpid()}"}

    def command(self, prompt: str, model: str, *, resume: bool) -> list[str]:
        options = [o for setting in self.settings(model) for o in ("-c", setting)]
        again = ["resume", "--last"] if resume else []
        return [str(self.path()), "exec", "--skip-git-repo-check", *options, *again, prompt]

    @staticmethod
    def settings(model: str) -> list[str]:
        """What only these tests want stands on the command line: the file is for a person, Codex and `connect`."""
        provider = f'{{name="double",base_url="{model}/v1",env_key="DOUBLE_KEY",wire_api="responses"}}'
        return [
            'model="gpt-5"',
            'model_provider="double"',
            f"model_providers.double={provider}",
            'approval_policy="never"',
        ]

    @staticmethod
    def path() -> Path:
        return _native("@openai", "codex-*/vendor/*/bin/codex")


@dataclass(frozen=True)
class Pi:
    name: Program = Program.PI

    def environment(self, home: Path, model: str) -> dict[str, str]:
        agent = home / ".pi" / "agent"
        agent.mkdir(parents=True, exist_ok=True)
        double = {
            "baseUrl": f"{model}/v1",
            "api": "openai-responses",
            "apiKey": "$DOUBLE_KEY",
            "models": [{"id": "double-1", "contextWindow": 100_000, "maxTokens": 1000}],
        }
        (agent / "models.json").write_text(json.dumps({"providers": {"double": double}}))
        return {
            "DOUBLE_KEY": f"not-a-key-{os.getpid()}",
            "PI_OFFLINE": "1",
            "PI_TELEMETRY": "0",
            "PI_SKIP_VERSION_CHECK": "1",
        }

    def command(self, prompt: str, model: str, *, resume: bool) -> list[str]:
        return [*self.start(), "-p", *(["-c"] if resume else []), prompt]

    @staticmethod
    def start() -> list[str]:
        entry = MODULES / "@earendil-works" / "pi-coding-agent" / "dist" / "bundle" / "cli.js"
        return [node(), str(entry), "--provider", "double", "--model", "double-1"]


ALL: dict[Program, Runs] = {p.name: p for p in (ClaudeCode(), Codex(), Pi())}


def claude_code() -> Path:
    return _native("@anthropic-ai", "claude-code-*/claude")


def node() -> str:
    own = FOLDER / "node" / "bin" / "node"
    return str(own) if own.exists() else "node"


def run_script(script: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Ran:
    """Runs a TypeScript module beside the installed packages, since Node looks for those above the module."""
    copy = FOLDER / script.name
    copy.write_bytes(script.read_bytes())
    return run([node(), str(copy), *arguments], FOLDER, {"PATH": search_path(), **(env or {})})


def search_path() -> str:
    """Node, the programs, the command line of WhoKnows and the system: nothing of the developer's own."""
    own = [str(FOLDER / "node" / "bin"), str(MODULES / ".bin"), str(Path(sys.executable).parent)]
    return os.pathsep.join([*own, "/usr/local/bin", "/usr/bin", "/bin"])


def run(command: Sequence[str], cwd: Path, env: Mapping[str, str], typed: str = "") -> Ran:
    """Runs a program to its end, and ends it with all that it has started where it takes too long."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = process.communicate(typed, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        raise AssertionError(f"{command[0]} did not end in {PATIENCE} s\n{out}\n{err}") from None
    return Ran(process.returncode, out, err, time.perf_counter() - begun)


def _native(scope: str, pattern: str) -> Path:
    """The program itself, without the script around it."""
    found = sorted((MODULES / scope).glob(pattern))
    assert found, f"{scope}/{pattern} is not below {MODULES}: make test-harness installs it"
    return found[0]
