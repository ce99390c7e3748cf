"""`whoknows whoami`: what the key may act as and do."""

from typing import TYPE_CHECKING

from whoknows.cli.connection import connect
from whoknows.cli.options import AsJson
from whoknows.cli.output import show, text, when

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client.answers import Whoami


def whoami(as_json: AsJson = False) -> None:
    """What the key may act as and do."""
    with connect() as wk:
        show(wk.whoami(), as_json, _draw)


def _draw(console: "Console", me: "Whoami") -> None:
    console.print(text(f"tenant       {me['tenant']}"))
    console.print(text(f"acts as      {', '.join(me['acts_as']) or 'nobody: this key only administers'}"))
    console.print(text(f"permissions  {', '.join(me['permissions']) or 'none beyond its own memory'}"))
    if me.get("task_id"):
        console.print(text(f"task         {me['task_id']}"))
    ends = me.get("expires_at")
    console.print(text(f"expires      {when(ends) if ends else 'never'}"))
