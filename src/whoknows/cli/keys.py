"""`whoknows keys`: credentials, and the one that the system keychain keeps for this user."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import keychain
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsJson, Yes
from whoknows.cli.output import say, show, table, text, when
from whoknows.cli.typed import confirmed, hidden
from whoknows.domain.credential import Permission

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="Keys, and the one that the system keychain keeps for you.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]


@app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """The keys you may revoke. Their secrets are nowhere."""
    with connect() as wk:
        show(wk.keys(), as_json, _page)


@app.command()
def add(
    acts_as: Annotated[list[str] | None, Argument(metavar="WHO", help="agent:x or member:m; a plain name is an agent.")] = None,
    permissions: Annotated[list[Permission] | None, Option("--permission", help="May be repeated.")] = None,
    task: Annotated[str | None, Option("--task", help="For this task only.")] = None,
    expires_in: Annotated[int | None, Option("--expires-in", help="Ends after so many seconds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key, and show its secret this once."""
    with connect() as wk:
        made = wk.add_key(acts_as or (), permissions=permissions or (), task_id=task, expires_in=expires_in)
        show(made, as_json, _made)


@app.command()
def revoke(
    key_id: Annotated[str, Argument(metavar="ID", help="Id of the key.")], yes: Yes = False, as_json: AsJson = False
) -> None:
    """End a key at once, open streams included."""
    with connect() as wk:
        confirmed(f"Revoke the key {key_id}?", yes)
        show(wk.revoke_key(key_id), as_json, lambda console, _: console.print(text("The key is revoked.")))


@app.command()
def remember(as_json: AsJson = False) -> None:
    """Keep a key in the system keychain, for the server at WHOKNOWS_URL. It is asked for, or read from standard input."""
    url = keychain.server_url()
    key = hidden(f"Key for {url}")
    if not keychain.well_formed(key):
        raise CliFault("malformed_key", "this is no key of WhoKnows: keys are wk_ and letters, digits and _", ExitCode.INVALID)
    if not keychain.remember(url, key):
        raise CliFault("no_keychain", "this machine has no keychain: set WHOKNOWS_KEY instead", ExitCode.UNAVAILABLE)
    show({"url": url, "remembered": True}, as_json, lambda console, _: console.print(text(f"Remembered for {url}.")))


@app.command()
def drop(as_json: AsJson = False) -> None:
    """Take the key for the server at WHOKNOWS_URL out of the system keychain. The key itself stays valid."""
    url = keychain.server_url()
    if not keychain.drop(url):
        raise CliFault("not_found", f"the keychain holds no key for {url}", ExitCode.NOT_FOUND)
    show({"url": url, "remembered": False}, as_json, lambda console, _: console.print(text(f"Dropped for {url}.")))


def _ends(key: Json) -> str:
    if key["revoked_at"]:
        return "revoked"
    return when(key["expires_at"]) if key["expires_at"] else "never"


def _made(console: "Console", made: Json) -> None:
    console.print(text(made["key"]), soft_wrap=True)
    say("Shown only this once. Keep it in the environment (WHOKNOWS_KEY), or with `whoknows keys remember`.")


def _page(console: "Console", page: Json) -> None:
    rows = [(k["id"], k["acts_as"], k["permissions"], k["task_id"], _ends(k)) for k in page["items"]]
    console.print(table(("id", "acts as", "permissions", "task", "ends"), rows))
