"""Every command is known for what it does; those that read show nothing to one who may not see it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command

from whoknows.cli.main import app

from .conftest import Cli

READS = {
    "whoami": [],
    "recall": ["发布口令 release password", "--min-score", "0", "--history", "--trace"],
    "list": ["--layer", "private"],
    "get": ["{secret}"],
    "history": ["{secret}"],
    "why": ["{secret}", "--reader", "agent:main"],
    "knows": [],
    "trace": ["{trace}"],
    "audit": [],
    "export": [],
    "agents list": [],
    "members list": [],
    "teams list": [],
    "keys list": [],
    "prompts show": ["--project", "boss"],
    "prompts history": ["global"],
    "context": ["发布口令 release password", "--project", "boss"],
    "tasks list": [],
    "injections list": [],
    "injections get": ["{secret}"],
    "publications list": [],
    "sources list": [],
    "publications get": ["{secret}"],
    "observations list": [],
    "observations get": ["{secret}"],
    "proposals list": [],
    "egress list": [],
    "bureau scripts": [],
    "banks list": [],
    "banks show": ["boss"],
    "corrections list": [],
    "corrections summary": [],
    "review list": [],
    "ledger": [],
    "report": ["--project", "boss"],
}
"""Each with arguments that ask for the secret of another."""
OF_AN_ACCOUNT = {
    "distilled list": [],
    "distilled show": ["{secret}"],
    "conversations list": [],
    "conversations show": ["{secret}"],
}
"""The same, for a member or its main agents alone."""
FOLLOWS = {"events", "bureau follow"}
WRITES = {
    "sources add", "sources sync", "sources remove",
    "capture", "edit", "archive", "restore", "forget", "share", "unshare", "import", "inject", "injections withdraw",
    "tasks open", "tasks close", "chat", "conversations delete",
    "publish", "publications withdraw", "publications republish", "prompts set", "review admit", "review refuse",
}  # fmt: skip
WRITES |= {"observations make", "observations consolidate", "observations recompute", "proposals confirm", "proposals reject"}
WRITES |= {"migrate", "stage"}
WRITES |= {"distill", "distilled undo", "distilled auto", "reverify", "ingest", "corrections add", "corrections remove"}
ADMINISTERS = {
    "egress set", "init", "agents add", "agents change", "agents remove", "members add", "members change", "members remove",
    "teams add", "teams change", "teams remove", "teams join", "teams leave", "keys add", "keys revoke", "tenants add",
    "banks route",
}  # fmt: skip
RUNS = {f"bureau {v}" for v in ("open", "cards", "whisper", "ask", "publish", "reset", "close", "show-key", "stage", "play")}
"""With the key of a case's operator; `open` and `play` make one."""
LOCAL = {"bureau check", "serve", "mcp", "doctor", "connect", "disconnect", "keys remember", "keys drop"}


def commands(group: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        path = f"{prefix} {name}".strip()
        if hasattr(command, "commands"):
            yield from commands(command, path)
        else:
            yield path, command


ALL = dict(commands(get_command(app)))


def test_every_command_is_classified() -> None:
    kinds = [set(READS), set(OF_AN_ACCOUNT), FOLLOWS, WRITES, ADMINISTERS, RUNS, LOCAL]
    assert sorted(ALL) == sorted(name for kind in kinds for name in kind)


@pytest.mark.parametrize("name", ALL)
def test_every_command_says_what_it_does_and_answers_in_json(name: str) -> None:
    assert ALL[name].help
    assert "--json" in {option for p in ALL[name].params for option in p.opts}


@pytest.mark.parametrize("name", ALL)
def test_no_command_takes_a_key_on_the_command_line(name: str) -> None:
    options = {o for p in ALL[name].params for o in p.opts}
    assert not [o for o in options if re.search("key|secret|password|token", o) and o != "key_id"]


@pytest.mark.parametrize("name", OF_AN_ACCOUNT)
def test_what_is_an_accounts_is_refused_to_an_agent_that_works_for_nobody(cli: Cli, name: str) -> None:
    given = [a.format(**cli.ids) for a in OF_AN_ACCOUNT[name]]
    done = cli("outsider", *name.split(), *given, "--json")
    assert done.returncode == 4, done.stdout + done.stderr
    assert "main agent that works for" in done.stderr


@pytest.fixture(scope="module")
def stranger(cli: Cli) -> str:
    """Somebody with whom nobody ever shared anything."""
    cli.json("admin", "agents", "add", "stranger")
    cli.keys["stranger"] = cli.json("admin", "keys", "add", "stranger")["key"]
    return "stranger"


@pytest.mark.parametrize("name", READS)
def test_reading_shows_nothing_of_a_memory_that_the_reader_may_not_see(cli: Cli, stranger: str, name: str) -> None:
    given = [a.format(**cli.ids) for a in READS[name]]
    done = cli(stranger, *name.split(), *given, "--json")
    asked_for_it_by_id = name in ("get", "history", "why", "trace", "injections get", "publications get", "observations get")
    assert done.returncode == (3 if asked_for_it_by_id else 0), done.stderr
    shown = done.stdout + done.stderr
    assert "蓝鲸" not in shown
    assert "blue whale" not in shown
    assert cli.ids["secret"] not in shown
    assert "agent:main" not in shown


def test_the_program_starts_without_what_only_some_commands_need() -> None:
    heavy = ("rich", "httpx", "keyring", "pydantic", "fastapi", "uvicorn", "numpy", "psycopg", "openai")
    code = f"import sys, whoknows.cli.main; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_hidden_and_absent_get_the_same_answer(cli: Cli) -> None:
    hidden = cli("outsider", "get", cli.ids["secret"], "--json")
    absent = cli("outsider", "get", "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "--json")
    assert (hidden.returncode, hidden.stdout, hidden.stderr) == (absent.returncode, absent.stdout, absent.stderr)
