"""`whoknows proposals`: experiences that would be a rule, and what a person decides about them."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson
from whoknows.cli.output import show, table, text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(
    help="Experiences that held in unrelated projects: see them, make one a rule on a branch in Git, or turn it down.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]
_ProposalId = Annotated[str, Argument(metavar="PROPOSAL", help="Id of a proposal (see `whoknows proposals list`).")]


@app.command("list")
def list_proposals(
    state: Annotated[
        str | None,
        Option("--state", help="confirmed, rejected or writing: what was decided. Without it what waits for somebody."),
    ] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What waits for somebody to decide."""
    with connect(agent) as wk:
        show(wk.proposals(state=state), as_json, _page)


@app.command()
def confirm(
    proposal_id: _ProposalId,
    repository: Annotated[str, Option("--repository", metavar="NAME", help="A registered Git repository that is yours.")],
    file: Annotated[str, Option("--file", metavar="PATH", help="Markdown file in it, such as docs/rules/release.md.")],
    branch: Annotated[
        str | None, Option("--branch", help="New branch below whoknows/; named after the proposal without it.")
    ] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Write it as a rule: one commit on a new branch, for you to look at and merge. Nothing else changes."""
    with connect(agent) as wk:
        show(wk.confirm_proposal(proposal_id, repository, file, branch=branch), as_json, _one)


@app.command()
def reject(
    proposal_id: _ProposalId,
    reason: Annotated[str | None, Option("--reason", help="Why it becomes no rule.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Turn it down: it does not come back from the same memories."""
    with connect(agent) as wk:
        show(wk.reject_proposal(proposal_id, reason), as_json, _one)


def _page(console: "Console", page: Json) -> None:
    rows = [(p["proposal_id"], p["state"], ", ".join(p["projects"]), draw.short(p["statement"] or "")) for p in page["items"]]
    console.print(table(("proposal", "state", "held in", "text"), rows) if rows else text("Nothing is proposed."))


def _one(console: "Console", p: Json) -> None:
    console.print(text(f"{p['proposal_id']}  {p['state']}", "bold"))
    if p["statement"]:
        console.print(text(f"   {p['statement']}"))
    for e in p["experiences"]:
        console.print(text(f"   {e['project_id']} · {e['author']} · {e['memory_id']}", "dim"))
    if p["commit"]:
        console.print(
            text(
                f"commit {p['commit']} on branch {p['branch']} of {p['repository']}, in {p['path']}: look at it, then merge it"
            )
        )
