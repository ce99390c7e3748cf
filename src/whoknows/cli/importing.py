"""`whoknows import`: a folder of Markdown files becomes memories, as often as one likes and never twice."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from typer import Argument, Exit, Option

from whoknows.cli.connection import connect
from whoknows.cli.faults import ExitCode
from whoknows.cli.options import AsAgent, AsJson, Project, Tags, Team
from whoknows.cli.output import console, counted, say, show, text
from whoknows.documents.pieces import By

if TYPE_CHECKING:
    from rich.console import Console

    from whoknows.cli.import_plan import Item, Known, Plan
    from whoknows.client import WhoKnows

Json = dict[str, Any]
T = TypeVar("T")
_AT_ONCE = 16
"""Memories of one request: small enough to see the bar move."""
_PAGE = 200


@dataclass
class Report:
    """What became of the files: memories stored now, those that took the place of an earlier text (``changed``), those that
    were there already, those that were put away because their section is gone, and what failed.

    ``gone``: files that are not in the folder any more, and whose memories stay.
    """

    files: int = 0
    stored: int = 0
    changed: int = 0
    known: int = 0
    held: int = 0
    archived: int = 0
    gone: list[str] = field(default_factory=list[str])
    overturned: list[Json] = field(default_factory=list[Json])
    findings: list[Json] = field(default_factory=list[Json])
    failed: list[Json] = field(default_factory=list[Json])

    def as_json(self) -> Json:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    def fail(self, path: str, code: str, detail: str) -> None:
        say(f"{path}: {detail}")
        self.failed.append({"path": path, "code": code, "detail": detail})


def import_folder(
    folder: Annotated[Path, Argument(metavar="DIR", exists=True, file_okay=False, help="Folder with Markdown files.")],
    by: Annotated[By, Option("--by", help="One memory per file or per section; auto: long files per section.")] = By.AUTO,
    name: Annotated[
        str | None, Option("--name", help="By this name a later import knows its files again. Default: the folder's.")
    ] = None,
    prune: Annotated[bool, Option("--prune", help="Archive the memories of files that are gone.")] = False,
    team: Team = None,
    visible_to: Annotated[list[str] | None, Option("--visible-to", help="Agent that may read it too; may be repeated.")] = None,
    project: Project = None,
    tags: Tags = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be remembered.")] = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Remember the Markdown files of a folder, each with its place as the source. Importing again stores nothing twice: a file
    that has changed takes the place of what it said before.

    Decision records are understood: a `Supersedes:` line lets the older record come back only as overturned, with the reason.
    """
    from whoknows.cli.import_plan import plan_of

    shared = {
        "memory_type": "private" if team is None else "team",
        "team_id": team,
        "visible_to": visible_to or [],
        "project_id": project,
    }
    plan = plan_of(folder, name or folder.resolve().name or "folder", by, tags or [], shared)
    report = Report(files=len(plan.paths))
    report.findings = [{"path": d.path, "check": d.check, "message": d.message} for d in plan.lineage.doubts]
    for unreadable in plan.unreadable:
        report.fail(unreadable.path, "unreadable", unreadable.why)
    if dry_run:
        show({"would_store": [i.body for i in plan.items], **report.as_json()}, as_json, _plan)
    else:
        with connect(agent) as wk:
            _Import(wk, plan, report, shared, prune, agent).run()
        show(report.as_json(), as_json, _told)
    if report.failed:
        raise Exit(ExitCode.FAILED)


class _Import:
    """One run: heads first, then their sections, then which document overturned which, then what is left of earlier runs."""

    def __init__(self, wk: "WhoKnows", plan: "Plan", report: Report, shared: Json, prune: bool, agent: str | None) -> None:
        self._wk, self._plan, self._report, self._shared, self._prune = wk, plan, report, shared, prune
        self._agent = agent or None
        self._ids: dict[str, str] = {}
        self._lapsed = {o.old for o in plan.lineage.overturned}

    def run(self) -> None:
        from rich.progress import Progress

        known = self._known()
        with Progress(console=console(stderr=True)) as progress:
            bar = progress.add_task("remembering", total=len(self._plan.items))
            for heads in (True, False):
                new: list[Item] = []
                for item in self._plan.items:
                    if item.is_head is not heads:
                        continue
                    said = known.find(item, item.path in self._lapsed)
                    if said is None:
                        new.append(item)
                    else:
                        self._ids[item.subject] = said["id"]
                        self._report.known += 1
                        progress.advance(bar)
                for part in _parts(new, _AT_ONCE):
                    self._send(known, part)
                    progress.advance(bar, len(part))
        self._overturn(known)
        self._chronicle(known)
        self._left(known)

    def _known(self) -> "Known":
        from whoknows.cli.import_plan import Known

        filters: Json = {
            "layer": self._shared["memory_type"],
            "team_id": self._shared["team_id"],
            "project_id": self._shared["project_id"],
        }
        found: list[Any] = []
        for state in (None, "superseded", "archived"):
            cursor = None
            while True:
                page = self._wk.list(
                    limit=_PAGE, cursor=cursor, state=state, **{k: v for k, v in filters.items() if v is not None}
                )
                found += page["items"]
                cursor = page["next_cursor"]
                if cursor is None:
                    break
        return Known.of(found, self._plan.name, self._shared, self._me())

    def _me(self) -> str:
        """Who acts, as far as that is said; where it is not, the server asks."""
        if self._agent is not None:
            return self._agent if self._agent.startswith(("agent:", "member:")) else f"agent:{self._agent}"
        return next(iter(self._wk.whoami()["acts_as"]), "")

    def _send(self, known: "Known", items: Sequence["Item"]) -> None:
        bodies: list[Json] = []
        sent: list[Item] = []
        for item in items:
            head = None if item.is_head else self._ids.get(item.head)
            if not item.is_head and head is None:
                self._report.fail(item.path, "no_document", "its beginning was not stored, and so this section was not either")
                continue
            bodies.append({k: v for k, v in (item.body | {"part_of": head}).items() if v is not None})
            sent.append(item)
        results = self._wk.capture_batch(bodies)["results"] if bodies else []
        for item, result in zip(sent, results, strict=True):
            if fault := result.get("error"):
                self._report.fail(item.path, fault["code"], fault["detail"])
                continue
            self._ids[item.subject] = result["memory"]["id"]
            self._count(known, item, result)

    def _count(self, known: "Known", item: "Item", result: Json) -> None:
        before = known.current.get(item.subject)
        identity = result["memory"]["id"]
        if result["outcome"] == "held":
            self._report.held += 1
        elif result["outcome"] == "merged":
            self._report.known += 1
        elif result["outcome"] == "superseding" or (before is not None and before["id"] != identity):
            if result["outcome"] == "stored" and before is not None:  # its author wrote it; the gate took it for a quotation
                self._wk.overturn(before["id"], identity)
            self._report.changed += 1
        else:
            self._report.stored += 1

    def _chronicle(self, known: "Known") -> None:
        for cited in self._plan.chronicle:
            if said := known.find(cited[0], lapsed=False):
                self._ids[cited[0].subject] = said["id"]
                self._report.known += 1
                continue
            self._send(known, cited[:1])
            others = [{k: v for k, v in item.body.items() if v is not None} for item in cited[1:]]
            for part in _parts(others, _AT_ONCE) if cited[0].subject in self._ids else ():
                self._wk.capture_batch(part)  # the same words: each is one more source of the memory that is there

    def _overturn(self, known: "Known") -> None:
        from whoknows.client import ApiError

        for lapse in self._plan.lineage.overturned:
            old = self._ids.get(self._plan.head(lapse.old))
            new = None if lapse.new is None else self._ids.get(self._plan.head(lapse.new))
            try:
                if old is not None and new is not None:
                    self._wk.overturn(old, new, lapse.reason)
                    self._report.overturned.append({"path": lapse.old, "by": lapse.new, "reason": lapse.reason})
                elif lapse.new is None:  # it says itself that it no longer holds
                    former = {m["id"] for some in known.former.values() for m in some}
                    for item in self._plan.items:
                        if item.path == lapse.old and self._ids.get(item.subject) not in (None, *former):
                            self._wk.archive(self._ids[item.subject])
            except ApiError as e:
                self._report.fail(lapse.old, e.code, e.detail)

    def _left(self, known: "Known") -> None:
        """Sections that their document has no more, and files that the folder has no more."""
        from whoknows.client import ApiError

        wanted = {item.subject for item in (*self._plan.items, *(cited[0] for cited in self._plan.chronicle))}
        present = {self._plan.head(p) for p in self._plan.paths}
        for subject, memory in known.current.items():
            if subject in wanted or memory["id"] in self._ids.values():
                continue
            head, path = subject.partition("#")[0], subject.partition("#")[0].partition("/")[2]
            if head not in present and path:
                if path not in self._report.gone:
                    self._report.gone.append(path)
                if not self._prune:
                    continue
            try:
                self._wk.archive(memory["id"])
                self._report.archived += 1
            except ApiError as e:
                self._report.fail(path, e.code, e.detail)


def _parts(items: Sequence[T], most: int) -> Iterator[Sequence[T]]:
    for start in range(0, len(items), most):
        yield items[start : start + most]


def _told(console: "Console", report: Json) -> None:
    also = "".join(
        f", {report[what]} {said}"
        for what, said in (("changed", "changed"), ("held", "held for review"), ("archived", "archived"))
        if report[what]
    )
    failed = f", {len(report['failed'])} failed" if report["failed"] else ""
    files = counted(report["files"], "file")
    console.print(text(f"{files}: {report['stored']} remembered, {report['known']} known already{also}{failed}"))
    for lapse in report["overturned"]:
        console.print(text(f"   {lapse['path']} is overturned by {lapse['by']}"))
    for finding in report["findings"]:
        console.print(text(f"   {finding['path']}: {finding['message']}", "yellow"))
    for path in report["gone"]:
        console.print(text(f"   {path} is not there any more; what it said stays (--prune archives it)", "yellow"))


def _plan(console: "Console", plan: Json) -> None:
    for item in plan["would_store"]:
        console.print(text(f"{item['source']}  {item['title'] or ''}  ({len(item['content'])} characters)"))
    console.print(text(f"{counted(plan['files'], 'file')}, {len(plan['would_store'])} memories; nothing was stored"))
