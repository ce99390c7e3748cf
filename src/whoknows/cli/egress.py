"""`whoknows egress`: what may leave this machine, bank by bank, and what did."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson
from whoknows.cli.output import show, table, text, when
from whoknows.domain.egress import EgressChoice

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="What may leave this machine, and what did.", no_args_is_help=True, rich_markup_mode=None)

_Bank = Annotated[str, Argument(metavar="BANK", help="agent:x, member:m, team:t, or '*' for everyone's.")]
_Choice = Annotated[EgressChoice, Argument(metavar="allowed|forbidden", help="Whether its texts may leave.")]


@app.command("list")
def list_egress(agent: AsAgent = None, as_json: AsJson = False) -> None:
    """The services that texts of your banks are sent to: what for, what kind of text, whether allowed, how often, when last."""
    with connect(agent) as wk:
        show(wk.egress(), as_json, _page)


@app.command("set")
def set_egress(bank: _Bank, choice: _Choice, as_json: AsJson = False) -> None:
    """Forbid or allow that texts of a bank leave this machine: your own, or of a team that you own, or as an administrator."""
    with connect() as wk:
        show(wk.set_egress(bank, choice), as_json, _one)


def _page(console: "Console", page: dict[str, Any]) -> None:
    for bank in page["items"]:
        _one(console, bank)
        rows = [
            (s["purpose"], s["host"], s["model"], s["state"], s["texts"], when(s["last_at"]) if s["last_at"] else "never")
            for s in bank["services"]
        ]
        if rows:
            console.print(table(("for", "host", "model", "state", "texts", "last"), rows))
        else:
            console.print(text("  no service is configured: nothing leaves", "dim"))


def _one(console: "Console", bank: dict[str, Any]) -> None:
    by = f" (by the {' and the '.join(bank['forbidden_by'])})" if bank["forbidden_by"] else ""
    console.print(text(f"{bank['bank']}: {bank['egress']}{by}", "bold"))
