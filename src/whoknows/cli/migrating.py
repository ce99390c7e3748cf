"""`whoknows migrate`: what a coding agent remembered by itself becomes memory, with a backup, a report and ways back."""

import os
import posixpath
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Exit, Option

from whoknows.cli import draw_migration as draw
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.keychain import key_for, server_url
from whoknows.cli.options import AsAgent, AsJson, Yes
from whoknows.cli.output import console, counted, say, show
from whoknows.cli.typed import confirmed
from whoknows.migration.faults import MigrationFault
from whoknows.migration.homes import Native

if TYPE_CHECKING:
    from whoknows.client import WhoKnows
    from whoknows.migration.run import Prepared, Wish
    from whoknows.migration.state import Shelf

Json = dict[str, Any]


def migrate(
    program: Annotated[Native, Argument(help="Which coding agent.")],
    home: Annotated[
        Path | None, Option("--home", metavar="DIR", file_okay=False, exists=True, help="Home directory. Default: your own.")
    ] = None,
    projects: Annotated[
        list[Path] | None,
        Option(
            "--project",
            metavar="DIR",
            exists=True,
            file_okay=False,
            help="Look into the folders of this directory too; may be repeated.",
        ),
    ] = None,
    maps: Annotated[
        list[str] | None,
        Option(
            "--map",
            metavar="DIR=PROJECT",
            help="What was noted in DIR is of PROJECT; '*': of none; '-': leave it out. Repeatable.",
        ),
    ] = None,
    committed: Annotated[
        bool, Option("--committed", help="Take what is committed to a project's repository too: others may have written it.")
    ] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would become of each note.")] = False,
    undo: Annotated[bool, Option("--undo", help="Delete what this command stored and nobody changed since.")] = False,
    restore: Annotated[
        Path | None,
        Option("--restore", metavar="ARCHIVE", dir_okay=False, help="Put the program's files back as a backup has them."),
    ] = None,
    report: Annotated[
        Path | None,
        Option("--report", metavar="FILE", dir_okay=False, help="Write the report there too: .json, else Markdown."),
    ] = None,
    yes: Yes = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Bring what Claude Code or Codex remembered into WhoKnows. Its files are backed up first and never changed.

    Every line is accounted for: stored, joined to what says the same, held back, refused, or saying nothing by itself.
    Running it again stores nothing twice. Backups hold the files as they are, secrets included, for your eyes only.
    """
    from whoknows.migration.run import Wish
    from whoknows.migration.state import shelf_of

    if undo and (restore is not None or dry_run):
        raise CliFault("usage", "--undo goes with neither --restore nor --dry-run", ExitCode.USAGE)
    shelf = shelf_of(program, os.environ)
    wish = Wish(program, home, [_whole(p) for p in projects or ()], dict(map(_mapped, maps or ())), committed)
    try:
        if restore is not None:
            _restore(wish, restore, shelf, dry_run, yes, as_json)
        elif undo:
            _undo(shelf, yes, agent, as_json)
        else:
            _migrate(wish, shelf, dry_run, report, yes, agent, as_json)
    except MigrationFault as fault:
        exit_code = ExitCode.INVALID if fault.code.startswith("archive_") else ExitCode.FAILED
        raise CliFault(fault.code, fault.detail, exit_code) from fault


def _migrate(
    wish: "Wish", shelf: "Shelf", dry_run: bool, report: Path | None, yes: bool, agent: str | None, as_json: bool
) -> None:
    from whoknows.migration.run import back_up, prepare
    from whoknows.migration.sending import destination_of

    if dry_run and key_for(server_url()) is None:
        _planned(prepare(wish, _nobody(), shelf), report, as_json)
        say("without a key, what is connected on the server does not count here: set WHOKNOWS_KEY to see all of it")
        return
    with connect(agent) as wk:
        prepared = prepare(wish, destination_of(wk), shelf)
        if dry_run:
            _planned(prepared, report, as_json)
            return
        if not yes:
            draw.plan(console(stderr=True), prepared.report)
        confirmed("Back these files up, and send what is new?", yes)
        _send(wk, prepared, back_up(prepared, shelf), shelf, report, as_json)


def _send(wk: "WhoKnows", prepared: "Prepared", backup: Any, shelf: "Shelf", report: Path | None, as_json: bool) -> None:
    from rich.progress import Progress

    from whoknows.migration.run import carry_out

    with Progress(console=console(stderr=True), disable=not prepared.plan.items) as progress:
        bar = progress.add_task("remembering", total=len(prepared.plan.items))
        done = carry_out(wk, prepared, backup, shelf, lambda n: progress.advance(bar, n))
    _also(report, done.report)
    show(done.report, as_json, draw.done)
    if not as_json:
        draw.left_to_do(console(), done.report, shelf.report("md"), _keeps_its_own(prepared))
    if done.fault is not None:
        raise done.fault
    if done.report["reconciled"] != "clean":
        raise Exit(ExitCode.FAILED)


def _keeps_its_own(prepared: "Prepared") -> bool:
    from whoknows.connect import native_memory
    from whoknows.connect.faults import ConnectFault
    from whoknows.domain.harness import Program

    if prepared.wish.home is not None:
        return False
    try:
        return native_memory.state(Program(prepared.wish.program)).switched_on
    except ConnectFault:
        return False


def _planned(prepared: "Prepared", report: Path | None, as_json: bool) -> None:
    _also(report, prepared.report)
    show(prepared.report, as_json, draw.plan)


def _undo(shelf: "Shelf", yes: bool, agent: str | None, as_json: bool) -> None:
    from rich.progress import Progress

    from whoknows.migration.ledger import Ledger
    from whoknows.migration.sending import destination_of, undo
    from whoknows.migration.state import marked_not

    with connect(agent) as wk:
        ledger = Ledger(shelf.ledger, destination_of(wk).whose)
        own = len({k.memory for k in ledger.known.values() if k.own})
        what = counted(own, "memory", "memories")
        confirmed(f"Delete {what} that came from {shelf.program}, as far as nobody changed them?", yes)
        marked_not(shelf)
        with Progress(console=console(stderr=True)) as progress:
            bar = progress.add_task("deleting", total=own)
            done = undo(wk, ledger, lambda n: progress.advance(bar, n))
        show({"removed": done.removed, "kept": list(done.kept), "joined": done.joined, "gone": done.gone}, as_json, draw.undone)


def _restore(wish: "Wish", path: Path, shelf: "Shelf", dry_run: bool, yes: bool, as_json: bool) -> None:
    from whoknows.migration.archive import read_archive, write_backup
    from whoknows.migration.restoring import restoration_of, restore
    from whoknows.migration.state import known_backups, marked_not, one_at_a_time, remember_backup

    archive, digest = read_archive(path, wish.program)
    known = digest in known_backups(shelf)
    plan = restoration_of(archive, wish.home, wish.projects, known)
    said: Json = draw.of_restoration(plan)
    if dry_run or not plan.written:
        show({**said, "restored": 0, "safety": None}, as_json, draw.restoration)
        return
    if not yes:
        draw.restoration(console(stderr=True), {**said, "restored": 0, "safety": None})
    what = counted(len(plan.written), "file or folder", "files and folders")
    confirmed(f"Write {what}, after a backup of what is there now?", yes)
    with one_at_a_time(shelf):
        plan = restoration_of(archive, wish.home, wish.projects, known)  # somebody may have taken his time to say yes
        safety = write_backup(plan.present, wish.program, shelf.backups)
        remember_backup(shelf, safety)
        restore(plan)
        marked_not(shelf)
    show({**said, "restored": len(plan.written), "safety": str(safety.path)}, as_json, draw.restoration)


def _also(path: Path | None, report: Json) -> None:
    from whoknows.migration.report import written
    from whoknows.migration.state import write_private

    if path is not None:
        write_private(path, written(path, report))


def _whole(path: Path) -> Path:
    return Path(os.path.abspath(path.expanduser()))  # links stay: it is named as the program was started in it


def _mapped(said: str) -> tuple[str, str]:
    directory, equals, project = said.rpartition("=")
    if not equals or not directory or not project:
        raise CliFault("usage", f"--map is DIR=PROJECT, not {said!r}", ExitCode.USAGE)
    if directory.startswith(("~", "./", "../")) or directory in (".", ".."):
        directory = os.path.abspath(os.path.expanduser(directory))
    return posixpath.normpath(directory) if directory.startswith("/") else directory, project


def _nobody() -> Any:
    from whoknows.migration.sending import Destination

    return Destination("", "", None, "open")
