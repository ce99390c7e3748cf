"""`whoknows publish` and `whoknows publications`: what is private, for others to read too, and back again."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, MemoryId
from whoknows.cli.output import show, table, text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="What you published: list it, take it back, bring it up to date.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]

_PublicationId = Annotated[str, Argument(metavar="PUBLICATION", help="Id of a publication (see `whoknows publications list`).")]


def publish(
    memory_id: MemoryId,
    to: Annotated[str, Option("--to", metavar="TEAM", help="Team that you may write to; '*' is the board, for everyone.")],
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Copy a private memory of yours to a team. The original stays private; doing it twice makes one copy."""
    with connect(agent) as wk:
        show(wk.publish(memory_id, to), as_json, _one)


@app.command("list")
def list_publications(limit: Limit = 50, cursor: Cursor = None, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """What you published, newest first."""
    with connect(agent) as wk:
        show(wk.publications(limit=limit, cursor=cursor), as_json, _page)


@app.command("get")
def get_publication(publication_id: _PublicationId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """One of them, with its copy."""
    with connect(agent) as wk:
        show(wk.publication(publication_id), as_json, _one)


@app.command()
def withdraw(publication_id: _PublicationId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take a copy back: its readers lose it at once, you keep it."""
    with connect(agent) as wk:
        show(wk.withdraw(publication_id), as_json, _one)


@app.command()
def republish(publication_id: _PublicationId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Show the original as it is now, as a new version of the copy; bring a withdrawn copy back."""
    with connect(agent) as wk:
        show(wk.republish(publication_id), as_json, _one)


def _one(console: "Console", p: Json) -> None:
    console.print(text(f"publication {p['publication_id']}  {p['state']}  {_where(p['team_id'])}", "bold"))
    if p["origin_changed"]:
        console.print(
            text("The original has changed since: `whoknows publications republish` shows it to the readers.", "yellow")
        )
    if p["memory"] is not None:
        draw.memory(console, p["memory"])


def _page(console: "Console", page: Json) -> None:
    rows = [
        (p["publication_id"], p["state"] + (", original changed" if p["origin_changed"] else ""), p["team_id"], _preview(p))
        for p in page["items"]
    ]
    console.print(table(("publication", "state", "team", "text"), rows) if rows else text("Nothing is published."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _where(team: str) -> str:
    return "on the board" if team == "*" else f"team {team}"


def _preview(p: Json) -> str:
    return "" if p["memory"] is None else draw.short(p["memory"]["content"], p["memory"]["title"])
