"""How a person starts each program, answers what it asks at first, and leaves it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from harness.interactive.terminal import Terminal
from harness.programs import Codex, Pi, claude_code
from whoknows.domain.harness import Program


@dataclass(frozen=True)
class Dialog:
    """``asks`` is shown; ``keys`` move to what is wanted, which then looks like ``wanted``; Enter takes it."""

    asks: str
    keys: tuple[str, ...]
    wanted: str

    def answer(self, terminal: Terminal) -> None:
        """Again where it was drawn anew: Claude Code does that when it has heard what the terminal is, and forgets keys."""
        while self.asks in terminal.shown:
            terminal.rests()
            if self.wanted not in terminal.shown:
                terminal.press(*self.keys)
            elif terminal.rests():
                terminal.press("enter")


class Keyboard(Protocol):
    """One program in a terminal. ``ready``: what it shows while it waits for a prompt, ``busy`` while it works on one."""

    name: Program
    ready: str
    busy: str
    done: str
    """What stands behind an answer once its turn is over, hooks included; empty where ``busy`` says enough."""
    pasted: str
    """What stands in the place of a long paste."""
    clear: str
    """The command after which nothing of the session is left."""
    compacted: str | None
    """What stands there after a compaction, where hooks are asked about it only before the next prompt."""
    dialogs: tuple[Dialog, ...]

    def environment(self, home: Path) -> dict[str, str]: ...

    def command(self, model: str, *, resume: bool) -> list[str]: ...

    def leave(self, terminal: Terminal) -> None: ...


@dataclass(frozen=True)
class ClaudeCode:
    """Its greeting is over in the home: that one would try to reach its maker before it asks for the colours."""

    name: Program = Program.CLAUDE_CODE
    ready: str = "shift+tab to cycle"
    busy: str = "esc to interrupt"
    done: str = ""
    pasted: str = "[Pasted text"
    clear: str = "/clear"
    compacted: str | None = None
    dialogs: tuple[Dialog, ...] = (
        Dialog("Quick safety check", ("up",), "❯ Yes, I trust this folder"),
        Dialog("Do you want to use this API key?", ("up",), "❯ Yes"),
    )

    def environment(self, home: Path) -> dict[str, str]:
        settings = home / ".claude.json"
        if not settings.exists():
            settings.write_text(json.dumps({"hasCompletedOnboarding": True, "theme": "dark"}))
        return {"CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1"}

    def command(self, model: str, *, resume: bool) -> list[str]:
        return [str(claude_code()), *(["--continue"] if resume else [])]

    def leave(self, terminal: Terminal) -> None:
        terminal.types("/exit")
        terminal.until("Exit the CLI")
        terminal.press("enter")


@dataclass(frozen=True)
class CodexTerminal:
    """What is typed by a machine looks like a paste to it, after which Enter is a new line: so that guess is off."""

    name: Program = Program.CODEX
    ready: str = "gpt-5 default ·"
    busy: str = "esc to interrupt"
    done: str = "Worked for"
    pasted: str = "[Pasted Content"
    clear: str = "/new"
    compacted: str | None = "Context compacted"
    dialogs: tuple[Dialog, ...] = ()

    def environment(self, home: Path) -> dict[str, str]:
        return {}

    def command(self, model: str, *, resume: bool) -> list[str]:
        mine = ["disable_paste_burst=true", "tui.animations=false", "tui.show_tooltips=false"]
        options = [o for setting in (*Codex.settings(model), *mine) for o in ("-c", setting)]
        return [str(Codex.path()), *(["resume", "--last"] if resume else []), *options]

    def leave(self, terminal: Terminal) -> None:
        terminal.types("/quit")
        terminal.until("exit Codex")
        terminal.press("enter")


@dataclass(frozen=True)
class PiTerminal:
    name: Program = Program.PI
    ready: str = "double-1"
    busy: str = "Working"
    done: str = ""
    pasted: str = "[paste #"
    clear: str = "/new"
    compacted: str | None = None
    dialogs: tuple[Dialog, ...] = ()

    def environment(self, home: Path) -> dict[str, str]:
        return {}

    def command(self, model: str, *, resume: bool) -> list[str]:
        return [*Pi.start(), *(["--continue"] if resume else [])]

    def leave(self, terminal: Terminal) -> None:
        terminal.types("/quit")
        terminal.until("Quit")
        terminal.press("enter")


KEYBOARDS: dict[Program, Keyboard] = {k.name: k for k in (ClaudeCode(), CodexTerminal(), PiTerminal())}
