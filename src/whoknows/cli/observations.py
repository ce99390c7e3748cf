"""`whoknows observations`: what several memories say, stated once, and whether it still stands."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, Project, Team
from whoknows.cli.output import counted, show, table, text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(
    help="What several memories say, stated once with a quote of each: list it, make it, see whether it still stands.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]
_OUTCOMES = {
    "made": "stated",
    "taken": "this was stated already",
    "unchanged": "it says the same, and rests on what its memories are now",
    "recomputed": "computed anew",
    "archived": "archived: fewer than two of its memories are left",
}


@app.command("list")
def list_observations(
    project: Project = None,
    team: Team = None,
    stale: Annotated[
        bool | None, Option("--stale/--standing", help="Only those of which a memory has changed since, or only the others.")
    ] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What is stated where you may read it, newest first."""
    with connect(agent) as wk:
        page = wk.observations(project_id=project, team_id=team, stale=stale, limit=limit, cursor=cursor)
        show(page, as_json, _page)


@app.command("get")
def get_observation(
    memory_id: Annotated[str, Argument(metavar="ID", help="Id of an observation.")],
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """One of them, with a quote of each memory that it rests on, and what became of those."""
    with connect(agent) as wk:
        show(wk.observation(memory_id), as_json, _one)


@app.command("make")
def make_observation(
    memory_ids: Annotated[list[str], Argument(metavar="ID...", help="Two or more memories with the same readers.")],
    words: Annotated[
        str | None, Option("--text", help="Words of your own; without them one of the memories is stated, word for word.")
    ] = None,
    quotes: Annotated[
        list[str] | None,
        Option("--quote", metavar="ID:SENTENCE:QUOTE", help="What bears out a sentence of --text (1, 2 …); may be repeated."),
    ] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """State once what some memories say."""
    if len(memory_ids) < 2:
        raise CliFault("invalid", "name two or more memories", ExitCode.INVALID)
    with connect(agent) as wk:
        show(wk.observe(memory_ids, words, quotes=[_quote(q) for q in quotes or ()]), as_json, _told)


@app.command()
def consolidate(project: Project = None, team: Team = None, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """State what says almost the same in your own memories, or a team's. Twice does what once does."""
    found: Json = {"items": [], "looked_at": 0, "next_cursor": None}
    with connect(agent) as wk:
        while True:
            part = wk.consolidate(project_id=project, team_id=team, cursor=found["next_cursor"])
            found = {
                "items": found["items"] + part["items"],
                "looked_at": found["looked_at"] + part["looked_at"],
                "next_cursor": part["next_cursor"],
            }
            if found["next_cursor"] is None:
                break
    show(found, as_json, _consolidated)


@app.command()
def recompute(
    memory_id: Annotated[str, Argument(metavar="ID", help="Id of an observation.")],
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Compute one anew from what its memories are now."""
    with connect(agent) as wk:
        show(wk.recompute(memory_id), as_json, _told)


def _quote(given: str) -> Json:
    memory, _, rest = given.partition(":")
    sentence, colon, quote = rest.partition(":")
    if not colon or not sentence.isdecimal():
        raise CliFault("usage", "--quote is ID:SENTENCE:QUOTE, such as 0197f3a1-…:1:when the disk is full", ExitCode.USAGE)
    return {"memory_id": memory, "sentence": int(sentence), "quote": quote}


def _page(console: "Console", page: Json) -> None:
    rows = [
        (o["id"], "stale" if o["stale"] else "stands", str(len(o["rests_on"])), draw.short(o["content"], o["title"]))
        for o in page["items"]
    ]
    console.print(table(("observation", "", "rests on", "text"), rows) if rows else text("Nothing is stated here."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _told(console: "Console", answer: Json) -> None:
    console.print(text(_OUTCOMES[answer["outcome"]]))
    for finding in answer["findings"]:
        console.print(text(f"note: {finding['message']}"))
    _one(console, answer["observation"])


def _one(console: "Console", o: Json) -> None:
    if o["stale"]:
        console.print(text("Stale: a memory that it rests on has changed since.", "yellow"))
    draw.memory(console, o)
    rows = [(s["memory_id"], str(s["version"]), s["changed"] or ("its words" if s["stated"] else "")) for s in o["rests_on"]]
    console.print(table(("rests on", "version", ""), rows))


def _consolidated(console: "Console", answer: Json) -> None:
    looked = counted(answer["looked_at"], "memory", "memories")
    console.print(text(f"{looked} looked at; {counted(len(answer['items']), 'observation')} made, or resting on more."))
    for told in answer["items"]:
        o = told["observation"]
        console.print(text(f"{o['id']}  {draw.short(o['content'], o['title'])}  ({len(o['rests_on'])} say so)"))
