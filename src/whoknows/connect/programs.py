"""The programs on this machine: where they are, which version, and which versions were tried with this release."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass

from whoknows.domain.harness import Program

COMMANDS = {Program.CLAUDE_CODE: "claude", Program.CODEX: "codex", Program.PI: "pi"}
TITLES = {Program.CLAUDE_CODE: "Claude Code", Program.CODEX: "Codex", Program.PI: "Pi"}
TRIED = {Program.CLAUDE_CODE: (2, 1, 332), Program.CODEX: (0, 171, 0), Program.PI: (1, 6, 0)}
"""Versions that the tests run. Older ones may lack what is written here; newer ones may have changed it."""
_PATIENCE = 20.0


@dataclass(frozen=True, slots=True)
class Installed:
    """``version`` is None where it does not say one."""

    executable: str
    version: tuple[int, ...] | None

    @property
    def told(self) -> str:
        return ".".join(map(str, self.version)) if self.version else "unknown version"


def executable(program: Program, environment: Mapping[str, str]) -> str | None:
    return shutil.which(COMMANDS[program], path=environment.get("PATH", os.defpath))


def installed(program: Program, environment: Mapping[str, str]) -> Installed | None:
    """None where it is not on the path."""
    path = executable(program, environment)
    if path is None:
        return None
    try:
        said = subprocess.run(  # noqa: S603 - the program that the person runs every day
            [path, "--version"],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        ).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired):
        return Installed(path, None)
    number = re.search(r"(\d+)\.(\d+)\.(\d+)", said)
    return Installed(path, tuple(map(int, number.groups())) if number else None)
