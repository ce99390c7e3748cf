"""Somebody sits at a program: writes prompts, reads what is on the screen, and leaves."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.desk import Desk
from harness.interactive.doorway import Doorway
from harness.interactive.keyboards import KEYBOARDS, Dialog, Keyboard
from harness.interactive.terminal import Terminal, terminal
from harness.model_apis import Asked, Begins
from whoknows.domain.harness import Program

OURS = ("whoknows", "hook error", "hook failed", "WhoKnows")
"""What a person would see of us, if they saw something."""


class Late(Exception):
    """The server took more than the second that a prompt waits, as it may on a busy machine: memory was away, and should be."""


@dataclass
class Sitting:
    """``sitting.asks("…")`` is the request that the model got for the prompt, after it was answered on the screen."""

    desk: Desk
    door: Doorway
    keyboard: Keyboard
    terminal: Terminal
    answers: int = 0
    expects_faults: bool = False
    project: str = "boss"

    def asks(self, prompt: str, says: str | None = None, shown: str | None = None) -> Asked:
        """``shown``: what stands on the screen while the prompt is being written, where that is not the prompt itself."""
        self.answers += 1
        said = says or f"Noted, all is done. ({self.answers})"
        self.desk.model.will(said)
        asked = self.sends(prompt, shown)
        self.terminal.until(said)
        self.terminal.wait(lambda: self.keyboard.done in self.terminal.shown.rpartition(said)[2], "the turn is not over")
        self.idles()
        self.in_time()
        self.noted()
        return asked

    def sends(self, prompt: str, shown: str | None = None) -> Asked:
        """The same without waiting for the answer."""
        turns = self.desk.model.turns
        self.writes(prompt, shown)
        self.terminal.press("enter")
        self.terminal.wait(lambda: len(self.desk.model.turns) > len(turns), "the model is not asked")
        return self.desk.model.turns[len(turns)]

    def interrupts(self, prompt: str, begun: str) -> Asked:
        """The answer begins with ``begun``, and is broken off by Escape."""
        half = f"{begun}\n\nAnd then"  # a paragraph is shown when the next one begins
        self.desk.model.will(Begins(half))
        asked = self.sends(prompt)
        self.terminal.until(begun)
        self.terminal.press("escape")
        self.terminal.wait(lambda: half in self.desk.model.broken_off, "the answer is not broken off")
        self.idles()
        self.in_time()
        self.noted()
        return asked

    def writes(self, prompt: str, shown: str | None = None) -> None:
        """Into the line, and no further. The same prompt twice may not be told apart where the first scrolls away meanwhile."""
        wanted = shown or prompt
        before = self.terminal.shown.count(wanted)
        if "\n" in prompt or shown is not None:
            self.terminal.pastes(prompt)
        else:
            self.terminal.types(prompt)
        self.terminal.wait(lambda: self.terminal.shown.count(wanted) > before, f"does not show {wanted}")

    def orders(self, command: str) -> None:
        """A command of the program itself."""
        self.writes(command)
        self.terminal.press("enter")

    def compacts(self) -> None:
        begun = len(self.starts("compact"))
        self.orders("/compact")
        if self.keyboard.compacted is not None:
            self.terminal.until(self.keyboard.compacted)
        else:
            self.terminal.wait(lambda: len(self.starts("compact")) > begun, "the server did not hear of a compaction")
        self.idles()

    def clears(self) -> None:
        begun = len(self.door.named("SessionStart"))
        self.orders(self.keyboard.clear)
        if self.keyboard.compacted is not None:
            self.terminal.wait(lambda: f"({self.answers})" not in self.terminal.shown, "still shows the session before")
        else:
            self.terminal.wait(
                lambda: len(self.door.named("SessionStart")) > begun, "the server did not hear of a new beginning"
            )
        self.idles()

    def starts(self, source: str) -> list[dict[str, Any]]:
        return [e for e in self.door.named("SessionStart") if e.get("source") == source]

    def idles(self) -> None:
        """Until it waits for a prompt again."""
        ready = self.keyboard.ready
        self.terminal.wait(
            lambda: ready in self.terminal.shown and self.keyboard.busy not in self.terminal.shown, "does not come to rest"
        )

    def noted(self) -> None:
        """Until the server has noted the prompts that it heard, which it does behind its answers."""
        heard = {(e["session_id"], e.get("prompt_id") or e.get("turn_id")) for e in self.door.named("UserPromptSubmit")}
        if heard and not self.expects_faults:
            self.terminal.wait(
                lambda: sum(s["prompts"] for s in self.desk.report(self.project)) >= len(heard),
                "the server has not noted the prompt",
            )

    def leaves(self) -> None:
        self.keyboard.leave(self.terminal)
        assert self.terminal.ended() == 0, self.terminal.shown
        self.in_time()

    def in_time(self) -> None:
        if not self.expects_faults and any(" timeout " in line for line in self.desk.noted()):
            raise Late(self.desk.noted())

    def noise(self) -> list[str]:
        """Lines of ours that were on the screen, at any time."""
        return [line for line in self.terminal.seen.splitlines() if any(o in line for o in OURS)]


def starts(desk: Desk, program: Program, folder: Path, *, resume: bool = False) -> AbstractContextManager[Terminal]:
    """The program as it comes up, with whatever it asks at first."""
    keyboard = KEYBOARDS[program]
    environment = {**desk.environment(program), **keyboard.environment(desk.home)}
    return terminal(keyboard.command(desk.model.url, resume=resume), folder, environment)


@contextmanager
def sits(
    desk: Desk, door: Doorway, program: Program, folder: Path, *, resume: bool = False, saying: Sequence[Dialog] = ()
) -> Iterator[Sitting]:
    """In front of the program, which waits for a prompt; what it asked at first was answered, and ``saying`` was asked."""
    keyboard = KEYBOARDS[program]
    with starts(desk, program, folder, resume=resume) as opened:
        sitting = Sitting(desk, door, keyboard, opened)
        for dialog in saying:
            opened.until(dialog.asks)
            dialog.answer(opened)
        asking = {d.asks: d for d in keyboard.dialogs}
        while (shown := opened.until(*asking, keyboard.ready)) in asking:
            asking[shown].answer(opened)
        yield sitting
