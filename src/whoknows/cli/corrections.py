"""`whoknows corrections`: what had to be put right, and what is put right again and again."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, Project
from whoknows.cli.output import counted, show, table, text, when
from whoknows.cli.typed import given_text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(
    help="Corrections: record what had to be put right, and see what is put right again and again.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]


@app.command("add")
def add_correction(
    content: Annotated[
        str | None, Argument(metavar="TEXT", help="What was wrong, or what is right; left out or '-': standard input.")
    ] = None,
    about: Annotated[str | None, Option("--about", metavar="ID", help="The memory that was wrong.")] = None,
    supersede: Annotated[bool, Option("--supersede", help="The memory gives way to this text.")] = False,
    subject: Annotated[str | None, Option("--subject", help="What it is about, as a key: service-a.postgres.version.")] = None,
    harness: Annotated[str | None, Option("--harness", help="The program in which it happened, such as codex.")] = None,
    for_team: Annotated[
        bool, Option("--team/--personal", help="For the team that the project is routed to, or for yourself.")
    ] = False,
    project: Project = None,
    team_id: Annotated[
        str | None, Option("--team-id", metavar="TEAM", help="With --team and without --project, where you have several teams.")
    ] = None,
    at: Annotated[str | None, Option("--at", help="When it happened (RFC 3339), if not now.")] = None,
    source: Annotated[str | None, Option("--source", help="With --supersede: where the new text stands.")] = None,
    quote: Annotated[str | None, Option("--quote", help="With --source: what stands there.")] = None,
    reason: Annotated[str | None, Option("--reason", help="With --supersede: why.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Record that something had to be put right. Each call is one correction more, also of the same words."""
    body = given_text(content)
    with connect(agent) as wk:
        answer = wk.correct(
            body,
            context="team" if for_team else None,
            project_id=project,
            team_id=team_id,
            about=about,
            supersedes=supersede or None,
            subject=subject,
            harness=harness,
            at=at,
            source=source,
            quote=quote,
            reason=reason,
        )
        show(answer, as_json, _recorded)


@app.command("list")
def list_corrections(
    project: Project = None, limit: Limit = 50, cursor: Cursor = None, agent: AsAgent = None, as_json: AsJson = False
) -> None:
    """Those of your own bank and of your teams'; what was recorded last comes first."""
    with connect(agent) as wk:
        show(wk.corrections(project_id=project, limit=limit, cursor=cursor), as_json, _page)


@app.command("summary")
def show_summary(
    weeks: Annotated[int, Option("--weeks", min=1, help="So many weeks before, and as many after.")] = 4,
    at: Annotated[
        str | None,
        Option("--at", help="The moment between (RFC 3339), such as the day of a change; default: so many weeks ago."),
    ] = None,
    project: Project = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """The same thing corrected at least twice: before and after a moment."""
    with connect(agent) as wk:
        show(wk.corrections_summary(weeks=weeks, at=at, project_id=project), as_json, _summary)


@app.command("remove")
def remove_correction(
    correction_id: Annotated[str, Argument(metavar="CORRECTION", help="Id of a correction (see `corrections list`).")],
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Delete a correction: it is not counted any more. The memory that it brought stays."""
    with connect(agent) as wk:
        show(wk.forget_correction(correction_id), as_json, draw.deleted)


def _recorded(console: "Console", answer: Json) -> None:
    c = answer["correction"]
    console.print(text(f"recorded in {c['bank']}: {c['id']}"))
    if answer["memory"] is None:
        for finding in answer["findings"]:
            console.print(text(f"note: {finding['message']}"))
    else:
        draw.captured(console, answer)


def _page(console: "Console", page: Json) -> None:
    rows = [(c["id"], when(c["at"]), c["bank"], c["harness"], c["subject"], _said(c)) for c in page["items"]]
    columns = ("correction", "at", "bank", "in", "subject", "text")
    console.print(table(columns, rows) if rows else text("No corrections."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _summary(console: "Console", answer: Json) -> None:
    for name in ("before", "after"):
        p = answer[name]
        told = (
            f"{counted(p['corrections'], 'correction')} of {counted(p['things'], 'thing')}, {len(p['repeated'])} at least twice"
        )
        console.print(text(f"{name}: {when(p['begin'])} to {when(p['end'])}: {told}", "bold"))
        if not p["complete"]:
            console.print(text("   the oldest of them are not in it: take fewer weeks, or one project", "yellow"))
        if p["repeated"]:
            rows = [(r["count"], _weeks(r), r["bank"], r["subject"], _said(r)) for r in p["repeated"]]
            console.print(table(("times", "weeks", "bank", "subject", "text"), rows))


def _weeks(repeated: Json) -> str:
    return ", ".join(week if n == 1 else f"{week} ({n})" for week, n in repeated["weeks"].items())


def _said(c: Json) -> str:
    return "(the text went with a memory)" if c["text"] is None else draw.short(c["text"])
