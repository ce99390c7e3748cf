"""`whoknows tenants`: to found a tenant, which is a wall."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsJson
from whoknows.cli.output import say, show, text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="Tenants: walls that nothing crosses.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def add(name: Annotated[str, Argument(metavar="TENANT", help="Name of the tenant.")], as_json: AsJson = False) -> None:
    """Found a tenant, and show its administrator's key this once."""
    with connect() as wk:
        show(wk.add_tenant(name), as_json, _made)


def _made(console: "Console", made: dict[str, Any]) -> None:
    console.print(text(made["key"]), soft_wrap=True)
    say(f"This is the key of {made['tenant_id']}'s administrator, and the only time that it is shown.")
