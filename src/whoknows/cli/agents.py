"""`whoknows agents`: the agents of a tenant."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsJson, Yes
from whoknows.cli.output import show, table, text
from whoknows.cli.typed import confirmed
from whoknows.domain.principal import AgentRole, Clearance

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="The agents of a tenant.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]

_Name = Annotated[str, Argument(metavar="AGENT", help="Name of the agent.")]
_Parent = Annotated[str | None, Option("--parent", help="The agent it works under; for a sub-agent.")]
_Account = Annotated[str | None, Option("--account", help="The member whom a main agent works for.")]
_Clearance = Annotated[Clearance | None, Option("--clearance", help="need_to_know: it reads only what it owns.")]


@app.command("list")
def list_agents(as_json: AsJson = False) -> None:
    """All agents for an administrator; otherwise those the key acts as, and their descendants."""
    with connect() as wk:
        show(wk.agents(), as_json, _page)


@app.command()
def add(
    name: _Name,
    role: Annotated[AgentRole | None, Option("--role", help="Default: main; sub where a parent is named.")] = None,
    parent: _Parent = None,
    account: _Account = None,
    clearance: _Clearance = None,
    as_json: AsJson = False,
) -> None:
    """Make an agent. Its name is never given out again."""
    kind = role or (AgentRole.SUB if parent else AgentRole.MAIN)
    with connect() as wk:
        made = wk.add_agent(name, role=kind, parent=parent, account=account, clearance=clearance or Clearance.OPEN)
        show(made, as_json, _one)


@app.command()
def change(
    name: _Name,
    role: Annotated[AgentRole | None, Option("--role", help="main or sub.")] = None,
    parent: _Parent = None,
    account: Annotated[str | None, Option("--account", help="The member it works for; '' for nobody.")] = None,
    clearance: _Clearance = None,
    as_json: AsJson = False,
) -> None:
    """Change what is named, and nothing else."""
    fields = {"role": role, "parent": parent, "clearance": clearance}
    named = {k: v for k, v in fields.items() if v is not None} | ({} if account is None else {"account": account or None})
    with connect() as wk:
        show(wk.change_agent(name, **named), as_json, _one)  # pyright: ignore[reportArgumentType]


@app.command()
def remove(name: _Name, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete an agent: its keys die at once, its private memories after a time of grace."""
    with connect() as wk:
        confirmed(f"Delete the agent {name}? Its keys die at once, and its name is gone for good.", yes)
        show(wk.remove_agent(name), as_json, lambda console, _: console.print(text(f"{name} is deleted.")))


def _page(console: "Console", page: Json) -> None:
    rows = [(a["agent_id"], a["role"], a["parent"], a["account"], a["clearance"]) for a in page["items"]]
    console.print(table(("agent", "role", "parent", "works for", "clearance"), rows))


def _one(console: "Console", agent: Json) -> None:
    _page(console, {"items": [agent]})
