"""What connecting and disconnecting will change and did, for people."""

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from whoknows.cli.draw_staging import DOES
from whoknows.cli.output import counted, text

if TYPE_CHECKING:
    from rich.console import Console

_NATIVE = {"on": "goes on", "off": "goes off", "left": "stays as it is"}
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def drawn_plan(console: "Console", plan: dict[str, Any]) -> None:
    """Every file with its diff, the directories, and the stage."""
    for file in _grouped(plan["files"]):
        _line(console, f"{file['does']:<7} {file['path']}" + (f"  ({file['note']})" if file.get("note") else ""))
        for line in file["diff"].splitlines()[2:]:
            _line(console, f"        {line}", _STYLES.get(line[:1], ""))
    for d in plan["directories"]:
        match d["is"]:
            case "new":
                _line(console, f"route   {d['directory']} → project {d['project_id']}")
            case "moved":
                _line(console, f"route   {d['directory']} → project {d['project_id']} (it was {d['was']})")
            case "leaves":
                _line(console, f"unroute {d['directory']}")
            case _:
                pass
    stage = plan.get("stage")
    if stage and stage["from"] != stage["to"]:
        _line(console, f"stage   {stage['from']} → {stage['to']}: {DOES[stage['to']]}")
    if plan.get("trust"):
        _line(console, "trust   Codex is told, in config.toml, that you trust these hooks")
    for native in plan["native_memory"]:
        _line(console, f"memory  {native['program']}'s own: {_NATIVE[native['does']]}: {native['detail']}")
    for remark in plan["remarks"]:
        _line(console, f"note    {remark}", "yellow")


def drawn(console: "Console", done: dict[str, Any]) -> None:
    """What was done; nothing where nothing was to do."""
    changed = [f for f in done["files"] if f["does"] != "unchanged"]
    routed = [d for d in done["directories"] if d["is"] != "registered"]
    stage = done.get("stage")
    moved = stage is not None and stage["from"] != stage["to"]
    if not changed and not routed and not moved and not done.get("trusted") and not done["native_memory"]:
        _line(console, f"{done['program']}: nothing to do: it is {'not connected' if stage is None else 'connected already'}")
        for remark in done["remarks"]:
            _line(console, f"note    {remark}", "yellow")
        for line in done["next"]:
            _line(console, f"→ {line}")
        return
    _line(console, f"{done['program']}: done")
    if done["copies"]:
        _line(console, f"copies of every file that was changed: {done['copies']}")
    for line in done["next"]:
        _line(console, f"→ {line}")
    if stage is None:
        _line(console, "→ memories and the stages of projects stay on the server")


def _grouped(listed: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Many files that are ours alone, as one line for their folder."""
    shown: dict[tuple[str, str], dict[str, Any]] = {}
    for file in listed:
        if file["does"] == "unchanged":
            continue
        ours = str(PurePath(file["path"]).parent)
        for known in (PurePath(p) for does, p in shown if does == file["does"]):
            if PurePath(file["path"]).is_relative_to(known):
                ours = str(known)
        if file["diff"] or file.get("note") or not file["whole"]:
            shown[file["does"], file["path"]] = file
        elif (file["does"], ours) in shown:
            shown[file["does"], ours]["count"] += 1
        else:
            shown[file["does"], ours] = {**file, "path": ours, "count": 1}
    return [{**f, "note": counted(f["count"], "file")} if "count" in f else f for f in shown.values()]


def _line(console: "Console", said: str, style: str = "") -> None:
    console.print(text(said, style), soft_wrap=True)  # a path is copied from it
