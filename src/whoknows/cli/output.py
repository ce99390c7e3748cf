"""What goes to the terminal: JSON for programs, tables and plain lines for people, and nothing that could act on a terminal."""

import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

_PIPED_WIDTH = 120
"""Columns where nobody says how wide it is."""


def show(answer: Any, as_json: bool, render: Callable[["Console", Any], None]) -> None:
    """``answer`` on standard output: as JSON, or drawn by ``render``."""
    if as_json:
        print(json.dumps(answer, ensure_ascii=False, indent=2))
    else:
        render(console(), answer)


def show_line(item: Any) -> None:
    """One line of JSON, at once: for streams."""
    print(json.dumps(item, ensure_ascii=False), flush=True)


def say(text: str) -> None:
    """A remark for people, beside the answer."""
    print(plain(text), file=sys.stderr, flush=True)


def console(stderr: bool = False) -> "Console":
    from rich.console import Console

    made = Console(stderr=stderr, markup=False, highlight=False, emoji=False)
    return made if made.is_terminal else Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=_width())


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Any:
    """A table of plain texts; the last column takes what room is left."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    ids = {n for n in range(len(columns)) if any(_ID.match(str(row[n])) for row in rows)}
    others = (len(columns) - len(ids)) * _LEAST_WIDTH + len(columns) * _PADDING
    roomy = console().width >= max(_ROOMY, len(ids) * _ID_WIDTH + others)
    for n, column in enumerate(columns):
        # An id that is broken in two cannot be copied; `no_wrap` lets the other columns give way, and nothing is cut off.
        made.add_column(column, overflow="fold", ratio=1 if n == len(columns) - 1 else None, no_wrap=roomy and n in ids)
    for row in rows:
        made.add_row(*(text(cell) for cell in row))
    return made


def text(value: object, style: str = "") -> Any:
    """``value`` as it stands: no markup in it is followed."""
    from rich.text import Text

    if value is None or value == "":
        return Text("")
    if isinstance(value, list | tuple):
        return Text(plain(", ".join(str(v) for v in value)), style)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    return Text(plain(str(value)), style)


def counted(n: int, noun: str, plural: str = "") -> str:
    """``1 token``, ``2 tokens``."""
    return f"{n} {noun if n == 1 else plural or noun + 's'}"


def when(timestamp: str) -> str:
    """A time of the server as people read it: to the second."""
    return _TIME.sub(r"\1 \2", timestamp)


_ROOMY = 110
"""Columns of a terminal that has room for ids beside all else; below, they are broken rather than anything cut off."""
_ID_WIDTH = 36
_LEAST_WIDTH = 10
"""Columns that everything else keeps beside ids."""
_PADDING = 3
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
_TIME = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?")


def plain(value: str) -> str:
    """``value`` with control and bidirectional characters made visible.

    Texts of memories were written by others, and an escape sequence in one must not move a cursor, set a title or
    turn a line around.
    """
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in _UNSAFE else _visible(c) for c in value)


_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co"})
_JOINERS = "\u200c\u200d"
"""Zero-width joiners: part of how some scripts and emoji are written."""


def _visible(c: str) -> str:
    if c in _JOINERS:
        return c
    return chr(0x2400 + ord(c)) if ord(c) < 0x20 else f"<{ord(c):04x}>"


def _width() -> int | None:
    return None if os.environ.get("COLUMNS", "").isdigit() else _PIPED_WIDTH
