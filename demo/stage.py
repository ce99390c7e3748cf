"""The stage: how the story is told, and the checks that end it where something shown is not true."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text


class NotTrue(Exception):
    """The story says something that the database does not do."""


def _console() -> Console:
    made = Console(highlight=False, markup=False, emoji=False)
    return made if made.is_terminal else Console(highlight=False, markup=False, emoji=False, width=110)


@dataclass
class Stage:
    """``fast``: without pauses."""

    fast: bool
    console: Console = field(default_factory=_console)

    def act(self, title: str, told: str) -> None:
        self.console.print()
        self.console.rule(Text(title, "bold"), align="left")
        self.say(told)

    def say(self, told: str) -> None:
        self.console.print(Text(told))
        self._pause(0.6 + len(told) / 45)

    def scene(self, who: str, does: str, outcome: str, good: bool = True) -> None:
        """One line of dialogue: somebody does something, and this is what comes of it."""
        line = Text(f"  {who:<12}", "cyan").append(f"{does}\n", "default").append(f"  {'':<12}→ ", "dim")
        self.console.print(line.append(outcome, "green" if good else "yellow"))
        self._pause(1.5)

    def statement(self, title: str, sql: str) -> None:
        self.console.print(Panel(Syntax(sql, "sql", word_wrap=True, background_color="default"), title=title, box=box.ROUNDED))
        self._pause(3)

    def matrix(self, readers: Sequence[str], rows: Sequence[tuple[str, Sequence[str | None]]]) -> None:
        """A row per memory, a column per reader: the reason why it is seen, or None."""
        drawn = Table(box=box.ROUNDED, show_lines=True, header_style="bold")
        drawn.add_column("memory", ratio=1)
        for reader in readers:
            drawn.add_column(reader, justify="center")
        for name, cells in rows:
            drawn.add_row(Text(name), *(Text(f"● {c}", "green") if c else Text("not there", "dim") for c in cells))
        self.console.print(drawn)
        self._pause(5)

    def check(self, holds: bool, claim: str) -> None:
        """What was just shown must be so."""
        self.must(holds, claim)
        self.console.print(Text(f"  ✓ {claim}", "bold green"))
        self._pause(1)

    def must(self, holds: bool, fault: str) -> None:
        """The same, without a word where it is so."""
        if not holds:
            raise NotTrue(fault)

    def _pause(self, seconds: float) -> None:
        if not self.fast:
            time.sleep(seconds)
