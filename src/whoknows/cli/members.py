"""`whoknows members`: the people of a tenant."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsJson, Yes
from whoknows.cli.output import show, table, text
from whoknows.cli.typed import confirmed
from whoknows.domain.principal import GateLevel

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client.directory import MemberFields

app = Typer(help="The people of a tenant.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]

_Name = Annotated[str, Argument(metavar="MEMBER", help="Name of the member.")]


@app.command("list")
def list_members(as_json: AsJson = False) -> None:
    """All members for an administrator; otherwise those the key acts as."""
    with connect() as wk:
        show(wk.members(), as_json, _page)


@app.command()
def add(
    name: _Name,
    display_name: Annotated[str | None, Option("--name", help="How the person is called.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a member. Its name is never given out again."""
    with connect() as wk:
        show(wk.add_member(name, display_name), as_json, _one)


@app.command()
def change(
    name: _Name,
    display_name: Annotated[str | None, Option("--name", help="How the person is called.")] = None,
    gate: Annotated[GateLevel | None, Option("--gate", help="What the account's memory asks of what is written there.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change how a member is called, or the gate of its account memory; the gate also with the member's own key."""
    fields: MemberFields = {}
    if display_name is not None:
        fields["name"] = display_name
    if gate is not None:
        fields["gate"] = gate
    with connect() as wk:
        show(wk.change_member(name, **fields), as_json, _one)


@app.command()
def remove(name: _Name, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete a member: its keys die at once, its private memories after a time of grace."""
    with connect() as wk:
        confirmed(f"Delete the member {name}? Its keys die at once, and its name is gone for good.", yes)
        show(wk.remove_member(name), as_json, lambda console, _: console.print(text(f"{name} is deleted.")))


def _page(console: "Console", page: Json) -> None:
    console.print(table(("member", "called", "gate"), [(m["member_id"], m["name"], m["gate"]) for m in page["items"]]))


def _one(console: "Console", member: Json) -> None:
    _page(console, {"items": [member]})
