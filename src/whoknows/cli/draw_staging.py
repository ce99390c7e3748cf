"""Stages, for people."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.output import table, text, when
from whoknows.harness.wording import STAGES

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
DOES = {name: said.en for name, said in STAGES.items()}


def stage(console: "Console", told: Json) -> None:
    """The stage, its history, and what the next one asks for."""
    since = "" if told["since"] is None else f", since {when(told['since'])}"
    console.print(text(f"{told['project_id']} is {told['stage']}{since}: {DOES[told['stage']]}.", "bold"))
    if told["next"] is not None:
        console.print(text(f"next: {told['next']['stage']}: {DOES[told['next']['stage']]}"))
        _needs(console, told["next"]["needs"])
        if told["stage"] == "off" and not told["history"] and not all(n["met"] for n in told["next"]["needs"]):
            console.print(text(f"a project of this name was never connected; if a stage was meant: {', '.join(DOES)}"))
    if told["history"]:
        rows = [(when(c["at"]), f"{c['before']} → {c['stage']}", c["changed_by"], c["reason"]) for c in told["history"]]
        console.print(table(("at", "change", "by", "reason"), rows))


def change(console: "Console", before: Json, wanted: str, native: list[Json]) -> None:
    """What will change, before it does."""
    if before["stage"] != wanted:
        console.print(text(f"{before['project_id']}: {before['stage']} → {wanted}: {DOES[wanted]}"))
    following = before["next"]
    if following is not None and following["stage"] == wanted:
        _needs(console, [n for n in following["needs"] if not n["met"]])
    for f in native:
        console.print(text(f"   {_own_memory(f)}"), soft_wrap=True)


def changed(console: "Console", told: Json) -> None:
    console.print(text(f"{told['project_id']} is {told['stage']}: {DOES[told['stage']]}."))
    for finding in told["findings"]:
        console.print(text(f"note: {finding['message']}"))
    for f in told["native_memory"]:
        console.print(text(_own_memory(f)), soft_wrap=True)  # a command is copied from it


def _own_memory(native: Json) -> str:
    does = {"off": "switched off", "on": "switched on again", "left": "left as it is"}[native["does"]]
    return f"the own memory of {native['program']} is {does}: {native['detail']}"


def _needs(console: "Console", needs: list[Json]) -> None:
    for need in needs:
        mark, style = ("✓", "green") if need["met"] else ("✗", "red") if need["blocks"] else ("!", "yellow")
        console.print(text(f"   {mark} {need['need']}: {need['detail']}", style), soft_wrap=True)
