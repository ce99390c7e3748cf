"""`whoknows doctor`: what is wrong with an installation, in plain words, and what to do about it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from typer import Exit

from whoknows.cli.diagnosis.findings import Finding, Health, fail, ok
from whoknows.cli.options import AsJson
from whoknows.cli.output import show, text

if TYPE_CHECKING:
    from rich.console import Console


def doctor(as_json: AsJson = False) -> None:
    """Look at this installation, say what is wrong with it, and what to do."""
    found = [f.as_json() for f in _examine()]
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


def _draw(console: "Console", report: dict[str, Any]) -> None:
    style = {"ok": "green", "warn": "yellow", "fail": "bold red"}
    for f in report["findings"]:
        line = text(f"{f['health']:<5}", style[f["health"]])
        line.append_text(text(f"{f['about']}: {f['detail']}"))
        console.print(line, soft_wrap=True)  # a path is copied from it
        if f["advice"]:
            console.print(text(f"      → {f['advice']}"))
