"""`whoknows distill | distilled …`: what of a conversation is worth remembering becomes memory, and can be undone."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.draw import short
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, Yes
from whoknows.cli.output import counted, show, table, text, when
from whoknows.cli.typed import confirmed, given_text

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
app = Typer(help="What was kept of conversations, batch by batch.", no_args_is_help=True, rich_markup_mode=None)
_Batch = Annotated[str, Argument(metavar="BATCH", help="Id of a distillation.")]
_Project = Annotated[str | None, Option("--project", "-p", help="Of this project; a line of JSON may name another.")]


def distill(
    file: Annotated[
        str, Argument(metavar="FILE", help="JSON lines, a JSON list, or plain `user: …` lines; '-': standard input.")
    ],
    project: _Project = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be kept.")] = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Distil a conversation: only what will matter later becomes memory, each with its sentence and its message as the source.

    Progress, decisions, risks and blocks go to the project, preferences to your general memory. What is known already adds
    nothing; what has changed takes the place of the older statement. The same file again adds nothing.
    """
    from whoknows.cli.transcripts import parts

    said, name = _read(file)
    done: Json = {"batchIds": [], "mode": "rules", "kept": [], "skipped": []}
    with connect(agent) as wk:
        for part in parts(said, name, project):
            answer = wk.distill(part.project, part.messages, dry_run=dry_run)
            done["batchIds"] += [answer["batchId"]] if answer["batchId"] else []
            done["mode"] = answer["mode"]
            done["kept"] += answer["kept"]
            done["skipped"] += answer["skipped"]
    show(done, as_json, _done)


@app.command("list")
def list_distillations(limit: Limit = 50, cursor: Cursor = None, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Batches that kept something, or were undone, newest first: of chat, of coding agents, and by hand."""
    with connect(agent) as wk:
        show(wk.distillations(limit=limit, cursor=cursor), as_json, _page)


@app.command("show")
def show_distillation(batch: _Batch, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """What a batch kept, as far as it is there today, and why it skipped the rest."""
    with connect(agent) as wk:
        show(wk.distillation(batch), as_json, _whole)


@app.command("undo")
def undo_distillation(batch: _Batch, yes: Yes = False, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take a batch back: what it wrote goes, and what that had overturned is current again."""
    confirmed(f"Delete what the distillation {batch} wrote?", yes)
    with connect(agent) as wk:
        show(wk.undo_distillation(batch), as_json, _undone)


@app.command("auto")
def automatic(
    to: Annotated[str | None, Argument(metavar="on|off|default", help="Left out: show how it is.")] = None,
    project: Annotated[str | None, Option("--project", "-p", help="For this project alone.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Whether what you say in chat becomes memory by itself: for all projects, or for one. `default` takes your word back."""
    words = {"on": True, "off": False, "default": None}
    if to is not None and to not in words:
        raise CliFault("usage", f"on, off or default, not {to!r}", ExitCode.USAGE)
    with connect(agent) as wk:
        answer = wk.distill_settings(project) if to is None else wk.set_distill_settings(words[to], project_id=project)
        show(answer, as_json, _settings)


def _read(file: str) -> tuple[str, str]:
    if file == "-":
        return given_text("-"), "stdin"
    path = Path(file)
    try:
        return path.read_text("utf-8-sig"), path.name
    except OSError as e:
        raise CliFault("unreadable", f"{file}: {e.strerror or e}", ExitCode.NOT_FOUND) from e
    except UnicodeDecodeError as e:
        raise CliFault("not_utf8", f"{file} is not valid UTF-8 at byte {e.start}", ExitCode.INVALID) from e


def _done(out: "Console", done: Json) -> None:
    _facts(out, done["kept"], there=bool(done["batchIds"]))
    if not done["kept"]:
        out.print(text("Nothing to keep."))
    _reasons(out, done["skipped"])
    for batch in done["batchIds"] if done["kept"] else ():
        out.print(text(f"undo: whoknows distilled undo {batch}", "dim"))


def _facts(out: "Console", facts: list[Json], there: bool = True) -> None:
    """``there``: a dry run shows no ids, since nothing has them."""
    words = {"stored": "kept", "merged": "known, with this source too", "superseding": "changed", "held": "waits for review"}
    for fact in facts:
        memory = fact["memory"]
        where = "everywhere" if memory["projectId"] is None else memory["projectId"]
        out.print(text(f"{words[fact['outcome']]}: {memory['content']}", "bold"))
        known = f" · {memory['memoryId']}" if there else ""
        out.print(text(f"   {memory['memoryType']} · {where} · {fact['messageId']}{known}", "dim"))


def _reasons(out: "Console", skipped: list[Json]) -> None:
    if skipped:
        reasons: dict[str, int] = {}
        for s in skipped:
            reasons[s["why"]] = reasons.get(s["why"], 0) + 1
        told = ", ".join(f"{why} {n}" for why, n in sorted(reasons.items(), key=lambda r: -r[1]))
        out.print(text(f"skipped: {told}", "dim"))


def _page(out: "Console", page: Json) -> None:
    rows = [
        (
            b["batchId"],
            b["projectId"],
            "chat" if b["automatic"] else "program, or by hand",
            when(b["at"]),
            "undone" if b["undoneAt"] else f"{counted(b['kept'], 'memory', 'memories')} of {counted(b['heard'], 'message')}",
        )
        for b in page["items"]
    ]
    out.print(table(("id", "project", "from", "at", "kept"), rows) if rows else text("Nothing was distilled."))
    if page["nextCursor"]:
        out.print(text(f"more: --cursor {page['nextCursor']}", "dim"))


def _whole(out: "Console", batch: Json) -> None:
    state = f" · undone {when(batch['undoneAt'])}" if batch["undoneAt"] else ""
    out.print(text(f"{batch['projectId']} · {when(batch['at'])} · by {batch['madeBy']} · {batch['mode']}{state}", "bold"))
    for fact in batch["facts"]:
        _facts(out, [fact])
        out.print(text(f"   “{short(fact['quote'])}”", "dim"))
    for s in batch["skipped"]:
        out.print(text(f"{s['messageId']}: {s['why']}", "dim"))


def _undone(out: "Console", answer: Json) -> None:
    out.print(text(f"deleted: {answer['deleted']}, current again: {answer['restored']}"))
    if answer["released"]:
        out.print(text(f"{answer['released']} stay: others said the same, or they were changed by hand."))


def _settings(out: "Console", answer: Json) -> None:
    where = "all projects" if answer["projectId"] is None else answer["projectId"]
    out.print(
        text(f"what {answer['account']} says in chat ({where}): {'kept by itself' if answer['automatic'] else 'not kept'}")
    )
