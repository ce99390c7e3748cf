"""The program `whoknows`: its commands, and the one place where what went wrong becomes a line and an exit code."""

import json
import sys
import warnings
from functools import cache
from typing import Annotated, Any

import typer
from typer.main import get_command

from whoknows import __version__
from whoknows.cli import (
    agents,
    banks,
    bureau,
    change,
    chat,
    connecting,
    corrections,
    distilling,
    doctor,
    egress,
    explain,
    follow,
    handover,
    importing,
    init,
    keys,
    mcp,
    members,
    memories,
    migrating,
    observations,
    prompts,
    proposals,
    publications,
    review,
    serve,
    sources,
    staging,
    teams,
    tenants,
    whoami,
)
from whoknows.cli.faults import CliFault, ExitCode, of_api, of_error

app = typer.Typer(
    name="whoknows",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Memory for teams of agents in which each one knows exactly what it should.",
    epilog="Exit codes: 0 done, 1 failed or done in part, 2 usage, 3 not found, 4 forbidden, 5 no valid key, 6 conflict, "
    "7 invalid, 8 not available. Server: WHOKNOWS_URL. Key: WHOKNOWS_KEY, or the system keychain.",
)

app.command()(serve.serve)
app.command()(init.init)
app.command()(doctor.doctor)
app.command("connect")(connecting.connect_program)
app.command("disconnect")(connecting.disconnect_program)
app.command()(staging.stage)
app.command()(staging.report)
app.command()(whoami.whoami)
app.command()(memories.capture)
app.command()(banks.ingest)
app.command()(memories.recall)
app.command("list")(memories.list_memories)
app.command()(memories.get)
app.command()(change.edit)
app.command()(change.archive)
app.command()(change.restore)
app.command()(change.forget)
app.command()(change.share)
app.command()(change.unshare)
app.command()(publications.publish)
app.command()(handover.inject)
app.command()(prompts.context)
app.command()(chat.chat)
app.command()(distilling.distill)
app.command("import")(importing.import_folder)
app.command()(migrating.migrate)
app.command()(explain.history)
app.command()(explain.why)
app.command()(explain.knows)
app.command()(explain.trace)
app.command()(explain.reverify)
app.command()(follow.events)
app.command()(follow.audit)
app.command()(follow.export)
app.command()(review.ledger)
app.command()(mcp.mcp)
app.add_typer(agents.app, name="agents")
app.add_typer(members.app, name="members")
app.add_typer(teams.app, name="teams")
app.add_typer(egress.app, name="egress")
app.add_typer(keys.app, name="keys")
app.add_typer(banks.app, name="banks")
app.add_typer(corrections.app, name="corrections")
app.add_typer(publications.app, name="publications")
app.add_typer(observations.app, name="observations")
app.add_typer(proposals.app, name="proposals")
app.add_typer(review.app, name="review")
app.add_typer(handover.tasks_app, name="tasks")
app.add_typer(handover.injections_app, name="injections")
app.add_typer(prompts.app, name="prompts")
app.add_typer(chat.app, name="conversations")
app.add_typer(sources.app, name="sources")
app.add_typer(distilling.app, name="distilled")
app.add_typer(tenants.app, name="tenants")
app.add_typer(bureau.app, name="bureau")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"whoknows {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)] = False,
) -> None:
    pass


def main() -> None:
    """Entry point. Ends with the exit code of what happened; never with a traceback for a deliberate error."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that is not UTF-8 shows escapes instead of failing.
        stream.reconfigure(errors="backslashreplace")  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    if not sys.warnoptions:
        warnings.simplefilter("ignore")  # remarks of libraries to their users, who are not at this terminal
    as_json = "--json" in _options(sys.argv[1:])
    try:
        code = _run()
        sys.stdout.flush()
    except CliFault as fault:
        code = _tell(fault, as_json)
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # `whoknows list | head`
        sys.stdout = None  # nothing more to flush at exit
        code = ExitCode.OK
    sys.exit(code)


def _run() -> int:
    from typer import Abort
    from typer.exceptions import TyperException

    from whoknows.errors import WhoKnowsError

    try:
        return _command().main(prog_name="whoknows", standalone_mode=False) or ExitCode.OK
    except TyperException as e:
        said = e.format_message().replace("Value error, ", "")
        context = getattr(e, "ctx", None)
        if context is not None and said == context.get_help():  # nothing was typed after a group of commands
            print(said, file=sys.stderr)
            return ExitCode.USAGE
        raise CliFault("usage", said, ExitCode.USAGE) from e
    except Abort:
        return ExitCode.FAILED
    except WhoKnowsError as e:
        raise of_error(e) from e
    except Exception as e:
        if "whoknows.client" in sys.modules:  # a command that talked to the server has loaded it
            from whoknows.client import ApiError

            if isinstance(e, ApiError):
                raise of_api(e) from e
        raise


@cache
def _command() -> Any:
    """All commands with their options: put together once, which takes longer than many of them."""
    return get_command(app)


def _tell(fault: CliFault, as_json: bool) -> int:
    from whoknows.cli.output import plain

    if as_json:
        print(json.dumps({"error": {"code": fault.code, "detail": fault.detail}}, ensure_ascii=False), file=sys.stderr)
    else:
        hint = f" (see {_typed(sys.argv[1:])} --help)" if fault.exit_code is ExitCode.USAGE else ""
        print(f"whoknows: {plain(fault.detail)}{hint}", file=sys.stderr)
    return fault.exit_code


def _typed(arguments: list[str]) -> str:
    """The command that was typed, as far as there is such a one: `whoknows keys add`."""
    command, path = _command(), ["whoknows"]
    for argument in arguments:
        command = getattr(command, "commands", {}).get(argument)
        if command is None:
            break
        path.append(argument)
    return " ".join(path)


def _options(arguments: list[str]) -> list[str]:
    return arguments[: arguments.index("--")] if "--" in arguments else arguments
