"""`whoknows ingest` and `whoknows banks`: facts with their source, and where those of a project go."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, ProjectOrPath
from whoknows.cli.output import show, table, text
from whoknows.cli.typed import given_text
from whoknows.cli.workplace_of import is_path, routed

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(
    help="Banks: your own set of memories and those of your teams, and which projects are routed to them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]
_ProjectName = Annotated[str, Argument(metavar="PROJECT", help="Name of the project.")]


def ingest(
    source: Annotated[
        str, Option("--source", help="Where it stands: git:SOURCE@REVISION:PATH, file:PATH, message:ID, memory:ID.")
    ],
    quote: Annotated[str, Option("--quote", help="What stands there, to the letter.")],
    content: Annotated[str | None, Argument(metavar="TEXT", help="The fact; left out or '-': standard input.")] = None,
    for_team: Annotated[
        bool, Option("--team/--personal", help="For the team that the project is routed to, or for yourself.")
    ] = False,
    project: ProjectOrPath = None,
    team_id: Annotated[
        str | None, Option("--team-id", metavar="TEAM", help="With --team and without --project, where you have several teams.")
    ] = None,
    subject: Annotated[str | None, Option("--subject", help="What it is about, as a key: service-a.postgres.version.")] = None,
    supersedes: Annotated[str | None, Option("--supersedes", metavar="ID", help="The memory that it overturns.")] = None,
    reason: Annotated[str | None, Option("--reason", help="Why.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Take in a fact with its source. Without the quote in the source, nothing is kept."""
    body = given_text(content)
    with connect(agent) as wk:
        directory = routed(wk, project)["directory"] if project is not None and is_path(project) else None
        answer = wk.ingest(
            body,
            source=source,
            quote=quote,
            context="team" if for_team else "personal",
            directory=directory,
            project_id=project if directory is None else None,
            team_id=team_id,
            subject=subject,
            supersedes=supersedes,
            reason=reason,
        )
        show(answer, as_json, draw.captured)


@app.command("list")
def list_banks(agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Which banks you read and write, through which gate, and which projects go there."""
    with connect(agent) as wk:
        show(wk.banks(), as_json, _page)


@app.command("show")
def show_routing(project: _ProjectName, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Where the facts of a project go, as far as you may know it."""
    with connect(agent) as wk:
        show(wk.routing(project), as_json, _routing)


@app.command("route")
def route_project(
    project: _ProjectName,
    to: Annotated[str | None, Option("--to", metavar="TEAM", help="Team that its facts go to; '*' is everyone.")] = None,
    nowhere: Annotated[bool, Option("--nowhere", help="To no team any more.")] = False,
    remotes: Annotated[list[str] | None, Option("--remote", metavar="URL", help="Its Git remote; may be repeated.")] = None,
    as_json: AsJson = False,
) -> None:
    """Route a project, for administrators. What is not named is taken away: it is said anew as a whole."""
    if (to is None) != nowhere:
        from whoknows.cli.faults import CliFault, ExitCode

        raise CliFault("usage", "say where it goes: --to TEAM, or --nowhere", ExitCode.USAGE)
    with connect() as wk:
        show(wk.route_project(project, to, remotes or ()), as_json, _routing)


def _page(console: "Console", page: Json) -> None:
    rows = [
        (
            "everyone" if b["bank"] == "*" else b["bank"],
            "read and write" if b["may_write"] else "read",
            b["gate"],
            ", ".join(b["projects"]),
        )
        for b in page["items"]
    ]
    console.print(table(("bank", "you may", "gate", "projects"), rows))


def _routing(console: "Console", routing: Json) -> None:
    team = routing["team_id"]
    where = "no team that you know of" if team is None else "everyone" if team == "*" else f"the team {team}"
    console.print(text(f"{routing['project_id']} goes to {where}."))
    for remote in routing["git_remotes"]:
        console.print(text(f"   {remote}", "dim"))
