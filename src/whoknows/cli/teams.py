"""`whoknows teams`: teams, and who is on them."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsJson, Yes
from whoknows.cli.output import show, table, text
from whoknows.cli.typed import confirmed
from whoknows.domain.egress import EgressChoice
from whoknows.domain.principal import GateLevel, TeamRole

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="Teams, and who is on them.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]

_Name = Annotated[str, Argument(metavar="TEAM", help="Name of the team; '*' is everyone.")]
_Principal = Annotated[str, Argument(metavar="WHO", help="agent:x or member:m; a plain name is an agent.")]
_Title = Annotated[str | None, Option("--name", help="How the team is called.")]
_Gate = Annotated[GateLevel | None, Option("--gate", help="What a memory must show to get in.")]
_Egress = Annotated[EgressChoice | None, Option("--egress", help="Whether its texts may leave this machine.")]
_Shares = Annotated[bool | None, Option("--share-with-subagents/--keep-from-subagents", help="Whether it may be injected.")]


@app.command("list")
def list_teams(as_json: AsJson = False) -> None:
    """All teams for an administrator; otherwise those that the key's agents and members are on."""
    with connect() as wk:
        show(wk.teams(), as_json, _page)


@app.command()
def add(name: _Name, title: _Title = None, gate: _Gate = None, shares: _Shares = None, as_json: AsJson = False) -> None:
    """Make a team. Its name is never given out again."""
    with connect() as wk:
        show(wk.add_team(name, name=title, gate=gate, share_with_subagents=shares), as_json, _one)


@app.command()
def change(
    name: _Name,
    title: _Title = None,
    gate: _Gate = None,
    shares: _Shares = None,
    egress: _Egress = None,
    as_json: AsJson = False,
) -> None:
    """Change what is named, and nothing else."""
    with connect() as wk:
        if egress is not None:
            rule = wk.set_egress("*" if name == "*" else f"team:{name}", egress)
            if title is None and gate is None and shares is None:
                show(rule, as_json, lambda console, _: console.print(text(f"{name}: its texts are {egress} to leave.")))
                return
        show(wk.change_team(name, name=title, gate=gate, share_with_subagents=shares), as_json, _one)


@app.command()
def remove(name: _Name, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a team: nobody reads its memories any more."""
    with connect() as wk:
        confirmed(f"Delete the team {name}? Nobody reads its memories any more, and its name is gone for good.", yes)
        show(wk.remove_team(name), as_json, lambda console, _: console.print(text(f"{name} is deleted.")))


@app.command()
def join(
    name: _Name,
    who: _Principal,
    role: Annotated[TeamRole, Option("--role", help="What it may do there.")] = TeamRole.WRITER,
    as_json: AsJson = False,
) -> None:
    """Put somebody on a team, or change the role there."""
    with connect() as wk:
        show(wk.join_team(name, _principal(who), role), as_json, _one)


@app.command()
def leave(name: _Name, who: _Principal, as_json: AsJson = False) -> None:
    """Take somebody off a team. The very next request already gets nothing of it."""
    with connect() as wk:
        answer = wk.leave_team(name, _principal(who))
        show(answer, as_json, lambda console, _: console.print(text(f"{who} is off the team {name}.")))


def _principal(who: str) -> str:
    return who if who.startswith(("agent:", "member:")) else f"agent:{who}"


def _page(console: "Console", page: Json) -> None:
    rows = [
        (t["team_id"], t["name"], t["gate"], ", ".join(f"{m['principal']} ({m['role']})" for m in t["members"]))
        for t in page["items"]
    ]
    console.print(table(("team", "called", "gate", "on it"), rows))


def _one(console: "Console", team: Json) -> None:
    _page(console, {"items": [team]})
