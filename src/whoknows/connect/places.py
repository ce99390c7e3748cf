"""Where the programs keep their files on this machine, and where `connect` keeps its own."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from whoknows.domain.harness import Program
from whoknows.machine import data_folder, folder_named, state_folder, this_machine


@dataclass(frozen=True, slots=True)
class Places:
    """Folders of one person on one machine. ``data`` and ``state`` are those of WhoKnows."""

    claude: Path
    codex: Path
    pi: Path
    data: Path
    state: Path
    machine: str

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self:
        """As the programs find them: their own variables, else the home folder."""
        return cls(
            claude=folder_named(environment, "CLAUDE_CONFIG_DIR", ".claude"),
            codex=folder_named(environment, "CODEX_HOME", ".codex"),
            pi=folder_named(environment, "PI_CODING_AGENT_DIR", ".pi/agent"),
            data=data_folder(environment),
            state=state_folder(environment),
            machine=this_machine(),
        )

    def made_by(self, program: Program) -> list[Path]:
        """Folders with our name that a program makes by itself for what is connected to it; they stay empty."""
        return [self.claude / "plugins" / "data" / "whoknows-skills-dir"] if program is Program.CLAUDE_CODE else []
