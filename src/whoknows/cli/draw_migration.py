"""Migrations on a terminal: the plan as a diff, what became of it, and what a restoration changes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from whoknows.cli.output import counted, text

if TYPE_CHECKING:
    from pathlib import Path

    from rich.console import Console

    from whoknows.migration.restoring import Restoration

Json = dict[str, Any]
_MARKS = {"stored": ("+", "green"), "merged": ("=", ""), "held": ("?", "yellow"), "refused": ("!", "red")}
_MEANS = {"stored": "new", "merged": "joined to what says the same", "held": "waits", "refused": "does not go in"}
_SHOWN = 100
"""Characters of a note in a diff."""


def plan(console: "Console", report: Json) -> None:
    """What would become of each note: + new, = joined, ? held back, ! refused."""
    _items(console, report["items"])
    _files(console, report)
    used = dict.fromkeys(i["becomes"] for i in report["items"])
    if used:
        console.print(text("; ".join(f"{_MARKS[u][0]} {_MEANS[u]}" for u in used), "dim"))
    _counts(console, report, planned=True)
    console.print(text("nothing was written"))


def done(console: "Console", report: Json) -> None:
    _items(console, [i for i in report["items"] if i["becomes"] in ("held", "refused")])
    _files(console, report)
    _counts(console, report)
    if report["backup"]:
        console.print(
            text(f"backup  {report['backup']['path']} (your files as they are, secrets included; readable by you alone)"),
            soft_wrap=True,  # a path is copied from it
        )
    if report["reconciled"] == "clean":
        console.print(text("every line is accounted for, and nothing waits", "green"))
    else:
        console.print(text("not all of it is in: see above; once that is settled, run it again", "yellow"))


def left_to_do(console: "Console", report: Json, path: "Path", still_on: bool) -> None:
    """Where the report lies, and the next step, where the program goes on keeping notes of its own."""
    console.print(text(f"report  {path}"), soft_wrap=True)
    if still_on and report["reconciled"] == "clean":
        program = report["program"]
        console.print(text(f"{program} goes on keeping notes of its own: `whoknows stage governed` switches that off"))


def undone(console: "Console", said: Json) -> None:
    console.print(text(f"{counted(said['removed'], 'memory', 'memories')} deleted"))
    for key, what in (("gone", "were gone already"), ("joined", "had been there before, and stay")):
        if said[key]:
            console.print(text(f"   {said[key]} {what}"))
    for memory in said["kept"]:
        console.print(text(f"   {memory} was changed since, and stays", "yellow"))


def of_restoration(plan: "Restoration") -> Json:
    """``added``, ``changed``, ``same``, ``extra``: paths as they are on this machine."""

    def paths(entries: Any) -> list[str]:
        return [str(plan.bases[e.root] / e.path) for e in entries]

    return {
        "added": paths(plan.added),
        "changed": paths(plan.changed),
        "same": len(plan.same),
        "extra": list(plan.extra),
        "databases": list(plan.databases),
    }


def restoration(console: "Console", said: Json) -> None:
    for key, mark, style in (("added", "+", "green"), ("changed", "~", "yellow")):
        for path in said[key]:
            console.print(text(f"{mark} {path}", style))
    for path in said["extra"]:
        console.print(text(f"  {path} is not in the archive, and stays"))
    for path in said["databases"]:
        console.print(text(f"  {path} is a database that the program goes on writing: it stays as it is now"))
    differ = len(said["added"]) + len(said["changed"])
    if differ:
        console.print(text("+ comes back; ~ becomes what it was", "dim"))
    if differ and not said["restored"]:
        does = f"{counted(differ, 'file or folder', 'files and folders')} would be written; nothing was"
    else:
        does = f"{said['restored']} written"
    console.print(text(f"{said['same']} as they should be; {does}"))
    if said["safety"]:
        console.print(text(f"what was there before: {said['safety']}"))


def _items(console: "Console", items: Sequence[Json]) -> None:
    told: set[str] = set()
    for item in items:
        _item(console, item)
        why = item.get("why") if item["becomes"] in ("held", "refused") else None
        if why and why not in told:  # once is enough: many notes wait for the same
            told.add(why)
            console.print(text(f"    {why}", _MARKS[item["becomes"]][1]))


def _item(console: "Console", item: Json) -> None:
    mark, style = _MARKS[item["becomes"]]
    first, last = item["lines"]
    place = f"{item['path']}:{first}" + (f"-{last}" if last != first else "")
    where = f"[{item['project']}] " if "project" in item else ""
    said = " ".join(str(item.get("content") or item.get("title") or "").split())[:_SHOWN]
    console.print(text(f"{mark} {where}{place}  {said}", style))
    if item.get("redacted"):
        console.print(text(f"    taken out: {', '.join(item['redacted'])}"))


def _files(console: "Console", report: Json) -> None:
    for file in report["files"]:
        if "unreadable" in file:
            console.print(text(f"! {file['path']}  {file['unreadable']}", "red"))


def _counts(console: "Console", report: Json, planned: bool = False) -> None:
    counts = report["counts"]
    if not counts["files"]:
        console.print(text(f"no notes of {report['program']} were found"))
        return
    lines = ", ".join(f"{counts[k]} {k}" for k in ("stored", "merged", "held", "refused", "structural", "unreadable"))
    would = " would be" if planned else ""
    console.print(text(f"{counted(counts['files'], 'file')}, {counted(counts['lines'], 'line')}{would}: {lines}"))
