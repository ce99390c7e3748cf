"""`whoknows review` and `whoknows ledger`: what waits at a gate, and what did not go in."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, MemoryId
from whoknows.cli.output import show, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client.reviewing import OwnWords

app = Typer(help="What waits at a gate: read it, let it in, or reject it.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]


@app.command("list")
def waiting(limit: Limit = 50, cursor: Cursor = None, as_json: AsJson = False) -> None:
    """What you may let in or reject, oldest first. For that you are a member with write rights there, and not its author."""
    with connect() as wk:
        show(wk.waiting(limit=limit, cursor=cursor), as_json, _page)


@app.command()
def admit(
    memory_id: MemoryId,
    content: Annotated[str | None, Option("--text", help="Let it in with these words instead.")] = None,
    title: Annotated[str | None, Option("--title", help="And this title; an empty one takes it away.")] = None,
    version: Annotated[int | None, Option("--version", min=1, help="The version that you read: refuse if it changed.")] = None,
    as_json: AsJson = False,
) -> None:
    """Let it in. What it wants to overturn gives way."""
    words: OwnWords = {}
    if content is not None:
        words["content"] = content
    if title is not None:
        words["title"] = title
    if version is not None:
        words["version"] = version
    with connect() as wk:
        show(wk.admit(memory_id, **words), as_json, _admitted)


@app.command()
def refuse(
    memory_id: MemoryId,
    reason: Annotated[str, Argument(metavar="REASON", help="Why not: its author reads this in its ledger.")],
    as_json: AsJson = False,
) -> None:
    """Refuse it: it is deleted."""
    with connect() as wk:
        show(wk.reject(memory_id, reason), as_json, lambda console, _: console.print(text(f"{memory_id} is refused.")))


def ledger(limit: Limit = 50, cursor: Cursor = None, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Writes of yours that were refused or failed, newest first, and why. Nothing tries them again by itself."""
    with connect(agent) as wk:
        show(wk.ledger(limit=limit, cursor=cursor), as_json, _entries)


def _page(console: "Console", page: Json) -> None:
    if not page["items"]:
        console.print(text("Nothing waits for you."))
    for memory in page["items"]:
        draw.memory(console, memory)
    if page["items"]:
        console.print(text("`whoknows review admit ID`, or `whoknows review refuse ID REASON`", "dim"))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _admitted(console: "Console", answer: Json) -> None:
    console.print(text(answer["outcome"], "bold"))
    for found in answer["findings"]:
        console.print(text(f"{found['check']}: {found['message']}", "yellow"))
    draw.memory(console, answer["memory"])


def _entries(console: "Console", page: Json) -> None:
    rows = [(when(entry["at"]), entry["route"], entry["code"], entry["detail"]) for entry in page["items"]]
    console.print(table(("when", "where", "code", "why"), rows) if rows else text("Nothing was refused."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))
