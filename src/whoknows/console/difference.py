"""Differences: what a change would make of a file, line by line, as Git would show it."""

from dataclasses import dataclass
from difflib import unified_diff
from typing import Literal

_CONTEXT = 3
_MOST = 2_000
"""Lines that a page shows."""
Sign = Literal["+", "-", " ", "@"]


@dataclass(frozen=True, slots=True)
class Changed:
    """One line: added, removed, as before, or (``@``) the place where the next ones stand."""

    sign: Sign
    text: str


def difference(before: str | None, after: str) -> tuple[Changed, ...]:
    """In the unified form, without its two lines of file names."""
    lines = unified_diff((before or "").splitlines(), after.splitlines(), n=_CONTEXT, lineterm="")
    return tuple(_line(line) for n, line in enumerate(lines) if 2 <= n < _MOST)


def _line(line: str) -> Changed:
    sign, text = line[:1], line[1:]
    match sign:
        case "+" | "-" | "@":
            return Changed(sign, line if sign == "@" else text)
        case _:
            return Changed(" ", text)
