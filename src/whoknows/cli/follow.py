"""`whoknows events | audit | export`: what happens, what happened, and all of it to take away."""

import sys
from itertools import islice
from typing import Annotated

from typer import Option

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit
from whoknows.cli.output import say, show, show_line


def events(
    after: Annotated[str | None, Option("--after", metavar="ID", help="Go on after this event.")] = None,
    count: Annotated[int | None, Option("--count", min=1, help="End after so many.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Follow what happens to memories that you may see, until you interrupt it. One event a line, no texts."""
    with connect(agent) as wk:
        if sys.stderr.isatty():
            say("waiting for events; end with Ctrl-C")
        for event in islice(wk.events(after), count):
            if as_json:
                show_line(event)
            else:
                print(draw.event_line(event), flush=True)


def audit(limit: Limit = 50, cursor: Cursor = None, as_json: AsJson = False) -> None:
    """Who did what to which id, newest first; without the permission `audit`, what concerns you."""
    with connect() as wk:
        show(wk.audit(limit=limit, cursor=cursor), as_json, draw.audit)


def export(agent: AsAgent = None, as_json: AsJson = False) -> None:  # noqa: ARG001  # it is JSON in any case
    """Everything you may read, as JSON lines on standard output."""
    with connect(agent) as wk:
        for memory in wk.export():
            show_line(memory)
