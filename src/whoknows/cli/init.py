"""`whoknows init`: the first agent, the first team, and a key that the system keychain keeps."""

import os
import sys
from typing import TYPE_CHECKING, Annotated, Any

from typer import Option

from whoknows.cli import keychain
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsJson
from whoknows.cli.output import say, show, text
from whoknows.cli.typed import hidden

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client import WhoKnows
    from whoknows.client.call import Call

Json = dict[str, Any]


def init(
    agent: Annotated[str | None, Option("--agent", help="Name of your first agent. Asked for if left out.")] = None,
    team: Annotated[str | None, Option("--team", help="Name of your first team. Asked for if left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """First steps: an agent, a team that it writes to, and its key in the system keychain. Needs the administrator's key."""
    url = keychain.server_url()
    admin = os.environ.get("WHOKNOWS_ADMIN_KEY") or keychain.key_for(url) or hidden(f"Administrator's key for {url}")
    with connect(key=admin) as wk:
        if "admin" not in wk.whoami()["permissions"]:
            raise CliFault(
                "permission_missing", "this needs the administrator's key that `whoknows serve` showed", ExitCode.FORBIDDEN
            )
        name = agent or _asked("Name of your first agent", "main")
        on = team or _asked("Name of your first team", "team")
        from whoknows.client import directory

        _unless_there(wk, directory.add_agent(name, role="main"))
        _unless_there(wk, directory.add_team(on))
        wk.join_team(on, f"agent:{name}", "owner")
        made = wk.add_key([f"agent:{name}"])
    kept = keychain.remember(url, made["key"])
    answer: Json = {"url": url, "agent": name, "team": on, "key_id": made["id"], "keychain": kept}
    show(answer if kept else answer | {"key": made["key"]}, as_json, _told)


def _unless_there(wk: "WhoKnows", call: "Call[Json]") -> None:
    from whoknows.client import ApiError

    try:
        wk.send(call)
    except ApiError as error:
        if error.code != "name_taken":  # a second `init` goes on where the first one ended
            raise


def _asked(question: str, default: str) -> str:
    import typer

    return typer.prompt(question, default=default, err=True) if sys.stdin.isatty() else default


def _told(console: "Console", answer: Json) -> None:
    console.print(text(f"The agent {answer['agent']} owns the team {answer['team']}."))
    if answer["keychain"]:
        console.print(text("Its key is in the system keychain; the command line finds it there."))
    else:
        console.print(text(f"export WHOKNOWS_KEY={answer['key']}"), soft_wrap=True)
        say("This machine has no keychain. The line above is the only time that the key is shown.")
    console.print(text('Try: whoknows capture "…", then whoknows recall "…"'))
