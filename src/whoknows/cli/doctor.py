"""`whoknows doctor`: what is wrong with an installation, in plain words, and what to do about it."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Exit

from whoknows.cli.diagnosis.findings import Finding, Health, fail, ok
from whoknows.cli.faults import CliFault
from whoknows.cli.options import AsJson
from whoknows.cli.output import show, text
from whoknows.domain.harness import Program

if TYPE_CHECKING:
    from rich.console import Console


def doctor(
    program: Annotated[Program | None, Argument(help="Only what this coding agent needs. Default: everything.")] = None,
    as_json: AsJson = False,
) -> None:
    """Look at this installation, say what is wrong with it, and what to do.

    With the name of a coding agent: at its files, its hooks, the way to the server and where this directory is routed.
    """
    found = [f.as_json() for f in (_examine() if program is None else _examine_program(program))]
    worst = Health.FAIL if any(f["health"] == Health.FAIL for f in found) else Health.OK
    show({"health": str(worst), "findings": found}, as_json, _draw)
    if worst is Health.FAIL:
        raise Exit(1)


def _examine() -> Iterator[Finding]:
    from whoknows.cli.diagnosis.database import database
    from whoknows.cli.diagnosis.egress import egress
    from whoknows.cli.diagnosis.machine import data_directory, embedder, python
    from whoknows.cli.diagnosis.model import model
    from whoknows.cli.diagnosis.server import server
    from whoknows.errors import ConfigurationFault
    from whoknows.settings import Settings

    yield python()
    try:
        settings = Settings.read()
    except ConfigurationFault as fault:
        yield fail("settings", fault.detail, "mend or unset it")
    else:
        yield ok("settings", "readable")
        yield from embedder(settings)
        yield from model(settings)
        yield from egress(settings)
        yield from data_directory(settings)
        yield from database(settings)
    yield from server()
    from whoknows.cli.diagnosis.programs import connected
    from whoknows.connect.places import Places

    for program in connected(Places.of(os.environ)):
        yield from _of_program(program)


def _examine_program(program: Program) -> Iterator[Finding]:
    from whoknows.cli.diagnosis.server import server

    yield from server()
    yield from _of_program(program)


def _of_program(program: Program) -> Iterator[Finding]:
    from whoknows.cli.diagnosis.harness import between
    from whoknows.cli.diagnosis.programs import program as of
    from whoknows.cli.keychain import server_url
    from whoknows.connect.places import Places

    try:
        url = server_url()
    except CliFault:
        return  # told by who looks at the server
    places = Places.of(os.environ)
    here = Path.cwd()
    yield from of(program, places, url, here)
    yield from between(program, places, url, here)


def _draw(console: "Console", report: dict[str, Any]) -> None:
    style = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for f in report["findings"]:
        line = text(f"{f['health']:<5}", style[f["health"]])
        line.append_text(text(f"{f['about']}: {f['detail']}"))
        console.print(line, soft_wrap=True)  # a path is copied from it
        if f["advice"]:
            console.print(text(f"      → {f['advice']}"))
