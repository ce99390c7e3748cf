"""`whoknows connect` and `disconnect`: a coding agent here asks this memory before its prompts, or does not any more."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

from whoknows.cli.connection import connect
from whoknows.cli.draw_connecting import drawn, drawn_plan
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsAgent, AsJson, Yes
from whoknows.cli.output import show
from whoknows.cli.typed import confirmed
from whoknows.domain.harness import Program, Stage

Json = dict[str, Any]
_Program = Annotated[Program, Argument(help="Which coding agent.")]
_DryRun = Annotated[bool, Option("--dry-run", help="Only show what would be changed.")]
_EXIT = {
    "busy": ExitCode.CONFLICT,
    "changed_meanwhile": ExitCode.CONFLICT,
    "broken_file": ExitCode.INVALID,
    "unexpected_form": ExitCode.INVALID,
    "not_utf8": ExitCode.INVALID,
    "bad_url": ExitCode.INVALID,
    "codex_silent": ExitCode.UNAVAILABLE,
}


def connect_program(
    program: _Program,
    project: Annotated[
        Path | None, Option("--project", metavar="DIR", help="Where you work. Default: this Git work tree, else here.")
    ] = None,
    name: Annotated[
        str | None, Option("--as", metavar="PROJECT", help="Its project. Default: the one it has, else the folder's name.")
    ] = None,
    stage: Annotated[
        Stage | None, Option("--stage", help="How far to connect it. Default: as it is, read-only where it is new.")
    ] = None,
    trust: Annotated[bool, Option("--trust", help="Tell Codex that you trust these hooks, without its /hooks.")] = False,
    move: Annotated[
        bool, Option("--move", help="To this server alone: the key goes to none that it was connected to before.")
    ] = False,
    dry_run: _DryRun = False,
    yes: Yes = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Let a coding agent use this memory in a directory.

    It recalls before its prompts there. Shows what it will change, asks, and keeps a copy of every file; `whoknows
    disconnect` makes them what they were.
    """
    from whoknows.cli.connect_plan import Connecting, registered
    from whoknows.connect.directories import names_of, project_of, root_of

    root = root_of(_directory(project or Path()))
    _may_be_a_project(root)
    with faults(), connect(agent) as wk:
        project_id = name or registered(wk, program, names_of(root)) or project_of(root)
        work = Connecting(program, agent, names_of(root), project_id, stage, trust, move)
        plan = work.plan(wk)
        if dry_run:
            show({"dry_run": True, **plan}, as_json, drawn_plan)
            return
        if work.has_something_to_do(plan):
            show_plan(plan, as_json)
            confirmed(f"Connect {program} in {root}?", yes)
        show({"dry_run": False, **plan, **work.carry_out(wk, plan)}, as_json, drawn)


def disconnect_program(
    program: _Program,
    project: Annotated[
        Path | None,
        Option("--project", metavar="DIR", help="Only this directory is not routed any more; the files stay."),
    ] = None,
    dry_run: _DryRun = False,
    yes: Yes = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Take out again what `connect` wrote. A file that nobody changed since is byte for byte what it was before."""
    from whoknows.cli.disconnect_plan import Disconnecting
    from whoknows.connect.directories import names_of, root_of

    root = None if project is None else root_of(_directory(project))
    with faults():
        work = Disconnecting(program, agent, None if root is None else names_of(root))
        plan = work.plan()
        if dry_run:
            show({"dry_run": True, **plan}, as_json, drawn_plan)
            return
        if work.has_something_to_do(plan):
            show_plan(plan, as_json)
            confirmed(f"Disconnect {program}{'' if root is None else f' in {root}'}?", yes)
        show({"dry_run": False, **plan, **work.carry_out()}, as_json, drawn)


@contextmanager
def faults() -> Generator[None]:
    """What cannot be done to the files here, as a line and an exit code."""
    from whoknows.connect.faults import ConnectFault

    try:
        yield
    except ConnectFault as fault:
        raise CliFault(fault.code, fault.detail, _EXIT.get(fault.code, ExitCode.FAILED)) from fault
    except OSError as fault:
        raise CliFault("not_written", f"{fault.filename or ''}: {fault.strerror or fault}", ExitCode.FAILED) from fault


def show_plan(plan: Json, as_json: bool) -> None:
    """For those who are about to be asked."""
    from whoknows.cli.output import console

    if not as_json or sys.stdin.isatty():
        drawn_plan(console(stderr=as_json), plan)


def _may_be_a_project(root: Path) -> None:
    """What the server will refuse need not be shown and asked first."""
    from whoknows.policy.workplaces import NoDirectory, directory_of, registrable

    found = directory_of(str(root.resolve()))
    fault = found if isinstance(found, NoDirectory) else registrable(found)
    if fault is not None:
        raise CliFault("invalid", f"{root}: {fault.reason}", ExitCode.INVALID)


def _directory(path: Path) -> Path:
    if not path.is_dir():
        raise CliFault("no_directory", f"{path} is no directory", ExitCode.USAGE)
    return path
