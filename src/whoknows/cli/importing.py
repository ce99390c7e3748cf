"""`whoknows import`: a folder of Markdown files becomes memories, as often as one likes and never twice."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Exit, Option

from whoknows.cli.connection import connect
from whoknows.cli.faults import ExitCode
from whoknows.cli.options import AsAgent, AsJson, Project, Tags, Team
from whoknows.cli.output import console, say, show, text
from whoknows.sources.folder import File, Unreadable, markdown_files
from whoknows.sources.markdown import By, pieces

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.client import WhoKnows

Json = dict[str, Any]
_AT_ONCE = 16
"""Memories of one request: small enough to see the bar move."""


@dataclass
class Report:
    """What became of the files: memories stored now, memories that were there already, and what failed."""

    files: int = 0
    stored: int = 0
    known: int = 0
    failed: list[Json] = field(default_factory=list[Json])

    def as_json(self) -> Json:
        return {"files": self.files, "stored": self.stored, "known": self.known, "failed": self.failed}


def import_folder(
    folder: Annotated[Path, Argument(metavar="DIR", exists=True, file_okay=False, help="Folder with Markdown files.")],
    by: Annotated[By, Option("--by", help="One memory per file or per section; auto: long files per section.")] = By.AUTO,
    team: Team = None,
    visible_to: Annotated[list[str] | None, Option("--visible-to", help="Agent that may read it too; may be repeated.")] = None,
    project: Project = None,
    tags: Tags = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be remembered.")] = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Remember the Markdown files of a folder, each with its place as the source. Importing again stores nothing twice."""
    shared = {
        "memory_type": "private" if team is None else "team",
        "team_id": team,
        "visible_to": visible_to or [],
        "project_id": project,
    }
    report = Report()
    items = _items(folder, by, tags or [], shared, report)
    if dry_run:
        show({"would_store": items, **report.as_json()}, as_json, _plan)
    else:
        with connect(agent) as wk:
            _send(wk, items, report)
        show(report.as_json(), as_json, _told)
    if report.failed:
        raise Exit(ExitCode.FAILED)


def _items(folder: Path, by: By, tags: list[str], shared: Json, report: Report) -> list[Json]:
    items: list[Json] = []
    for found in markdown_files(folder):
        match found:
            case Unreadable(path, why):
                _fail(report, path, "unreadable", why)
            case File(path, content):
                report.files += 1
                for piece in pieces(content, by):
                    own = {"content": piece.text, "title": piece.title, "tags": list(dict.fromkeys((*piece.tags, *tags)))}
                    items.append(own | shared | {"source": f"file:{path}"})
    return items


def _send(wk: "WhoKnows", items: list[Json], report: Report) -> None:
    from rich.progress import Progress

    with Progress(console=console(stderr=True)) as progress:
        bar = progress.add_task("remembering", total=len(items))
        for start in range(0, len(items), _AT_ONCE):
            part = items[start : start + _AT_ONCE]
            for item, result in zip(part, wk.capture_batch(part)["results"], strict=True):
                if fault := result.get("error"):
                    _fail(report, item["source"].removeprefix("file:"), fault["code"], fault["detail"])
                elif result["outcome"] == "merged":
                    report.known += 1
                else:
                    report.stored += 1
            progress.advance(bar, len(part))


def _fail(report: Report, path: str, code: str, detail: str) -> None:
    say(f"{path}: {detail}")
    report.failed.append({"path": path, "code": code, "detail": detail})


def _told(console: "Console", report: Json) -> None:
    failed = f", {len(report['failed'])} failed" if report["failed"] else ""
    console.print(text(f"{report['files']} files: {report['stored']} remembered, {report['known']} known already{failed}"))


def _plan(console: "Console", plan: Json) -> None:
    for item in plan["would_store"]:
        console.print(text(f"{item['source']}  {item['title'] or ''}  ({len(item['content'])} characters)"))
    console.print(text(f"{plan['files']} files, {len(plan['would_store'])} memories; nothing was stored"))
