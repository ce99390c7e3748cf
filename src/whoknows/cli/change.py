"""`whoknows edit | archive | restore | forget | share | unshare`: to change what is remembered, and who knows it."""

from typing import Annotated

from typer import Argument, Option

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsAgent, AsJson, MemoryId, Project, Tags, Team, Yes
from whoknows.cli.output import show
from whoknows.cli.typed import confirmed, given_text
from whoknows.domain.audience import Layer
from whoknows.domain.memory import Category

_AgentName = Annotated[str, Argument(metavar="AGENT", help="Agent of the same tenant.")]


def edit(
    memory_id: MemoryId,
    content: Annotated[str | None, Option("--content", help="The new text; '-': standard input.")] = None,
    title: Annotated[str | None, Option("--title", help="The new title; '' takes it away.")] = None,
    category: Annotated[Category | None, Option("--category", help="What kind of statement it is.")] = None,
    tags: Tags = None,
    subject: Annotated[str | None, Option("--subject", help="What it is about, as a key.")] = None,
    expires_in: Annotated[int | None, Option("--expires-in", help="Gone after so many seconds.")] = None,
    reason: Annotated[str | None, Option("--reason", help="Why it was changed.")] = None,
    version: Annotated[int | None, Option("--version", help="The version you read. Default: the present one.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Change the text, title, kind, tags or subject of a memory. Who may read it never changes here."""
    named = {
        "content": None if content is None else given_text(content),
        "title": title,
        "category": category,
        "tags": tags,
        "subject": subject,
        "expires_in": expires_in,
        "reason": reason,
    }
    with connect(agent) as wk:
        present = version if version is not None else wk.get(memory_id)["version"]
        changed = wk.edit(memory_id, present, **{k: v for k, v in named.items() if v is not None})  # pyright: ignore[reportArgumentType]
        show(changed, as_json, draw.memory)


def archive(memory_id: MemoryId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take a memory out of recall without deleting it."""
    with connect(agent) as wk:
        show(wk.archive(memory_id), as_json, draw.memory)


def restore(memory_id: MemoryId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Bring an archived memory back."""
    with connect(agent) as wk:
        show(wk.restore(memory_id), as_json, draw.memory)


def forget(
    memory_id: Annotated[str | None, Argument(metavar="ID", help="Id of a memory.")] = None,
    layer: Annotated[Layer | None, Option("--layer", help="Instead of one: all of this layer that you may delete.")] = None,
    project: Project = None,
    team: Team = None,
    version: Annotated[int | None, Option("--version", help="Only if this is the present version.")] = None,
    yes: Yes = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Delete a memory, or all of a layer. Nothing of the text remains, and nothing brings it back."""
    if (memory_id is None) == (layer is None):
        raise CliFault("usage", "name one memory by its id, or a whole layer by --layer", ExitCode.USAGE)
    with connect(agent) as wk:
        if memory_id is not None:
            show(wk.forget(memory_id, version), as_json, draw.deleted)
            return
        place = "".join(f" in {kind} {name}" for kind, name in (("team", team), ("project", project)) if name)
        confirmed(f"Delete all {layer} memories that you may delete{place}?", yes)
        show(wk.forget_all(str(layer), team_id=team, project_id=project), as_json, draw.deleted)


def share(memory_id: MemoryId, reader: _AgentName, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Let another agent read a private memory of yours."""
    with connect(agent) as wk:
        show(wk.share(memory_id, reader), as_json, draw.memory)


def unshare(memory_id: MemoryId, reader: _AgentName, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take a share back."""
    with connect(agent) as wk:
        wk.unshare(memory_id, reader)
        show(wk.get(memory_id), as_json, draw.memory)
