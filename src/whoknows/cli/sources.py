"""`whoknows sources`: repositories and folders whose documents are indexed."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Yes
from whoknows.cli.output import console as console_of
from whoknows.cli.output import counted, show, table, text, when
from whoknows.cli.typed import confirmed
from whoknows.domain.source import LocationKind

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client import WhoKnows

app = Typer(
    help="Git repositories and folders whose documents are indexed, and stay where they are.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]

_Source = Annotated[str, Argument(metavar="SOURCE", help="Id or name of a source (see `whoknows sources list`).")]


@app.command()
def add(
    kind: Annotated[LocationKind, Argument(help="git or folder.")],
    locator: Annotated[str, Argument(help="Path on the machine of the server, or https://… of a Git repository.")],
    name: Annotated[str, Option("--name", help="One word, by which evidence names it.")],
    audience: Annotated[str, Option("--for", metavar="WHO", help="Who reads it: team:t, member:m, or '*' for everyone.")],
    sync: Annotated[bool, Option("--sync/--no-sync", help="Index its documents right away.")] = True,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Register a source, and index its documents. By an administrator, an owner of the team, or the member."""
    with connect(agent) as wk:
        made = wk.add_source(kind, locator, name, audience)
        if sync:
            show(_synced(wk, made["source_id"]), as_json, _report)
        else:
            show(made, as_json, lambda console, s: _page(console, {"items": [s]}))


@app.command("list")
def list_sources(agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Those whose documents you read; all of teams for an administrator."""
    with connect(agent) as wk:
        show(wk.sources(), as_json, _page)


@app.command()
def sync(source: _Source, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Bring the index to what the documents say now. Doing it again changes nothing."""
    with connect(agent) as wk:
        show(_synced(wk, _id(wk, source)), as_json, _report)


@app.command()
def remove(source: _Source, yes: Yes = False, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take the documents of a source out of the index. The source itself is untouched."""
    with connect(agent) as wk:
        confirmed(f"Take {source} out of the index? Its documents stay where they are.", yes)
        answer = wk.remove_source(_id(wk, source))
        show(answer, as_json, lambda console, a: console.print(text(f"{source} is removed: {_memories(a['deleted'])} went.")))


def _id(wk: "WhoKnows", source: str) -> str:
    """A name is looked up among those that one sees; what is none is taken for an id."""
    named = [s["source_id"] for s in wk.sources()["items"] if s["name"] == source]
    return named[0] if len(named) == 1 else source


def _synced(wk: "WhoKnows", source_id: str) -> Json:
    with console_of(stderr=True).status("reading the documents"):
        return wk.sync_source(source_id)


def _memories(n: int) -> str:
    return counted(n, "memory", "memories")


def _report(console: "Console", done: Json) -> None:
    source = done["source"]
    console.print(text(f"{source['name']} at {done['revision'][:12]}: {counted(done['documents'], 'document')}", "bold"))
    parts = [f"{len(done[what])} {what}" for what in ("added", "changed", "renamed", "removed") if done[what]]
    console.print(text(", ".join(parts) if parts else "nothing has changed"))
    for moved in done["renamed"]:
        console.print(text(f"   {moved['was']} is {moved['path']} now", "dim"))
    for bad in done["unreadable"]:
        console.print(text(f"   not read: {bad['path']}: {bad['why']}", "yellow"))
    for finding in done["findings"]:
        console.print(text(f"   {finding['path']}: {finding['message']}", "yellow"))


def _page(console: "Console", page: Json) -> None:
    items = page["items"]
    rows = [(s["name"], s["kind"], s["audience"], s["documents"], when(s["synced_at"] or "never"), s["locator"]) for s in items]
    columns = ("name", "kind", "for", "documents", "synced", "where")
    if len({s["name"] for s in items}) < len(items):  # a name that two share names neither
        rows = [(s["source_id"], *row) for s, row in zip(items, rows, strict=True)]
        columns = ("source", *columns)
    console.print(table(columns, rows) if rows else text("No source is registered that you may see."))
