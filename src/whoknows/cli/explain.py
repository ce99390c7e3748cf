"""`whoknows history | why | knows | trace | reverify`: how it came about, and who may know it for what reason."""

from typing import Annotated

from typer import Argument, Option

from whoknows.cli import draw, draw_knowledge, draw_provenance
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, MemoryId, Project, Tags, Team
from whoknows.cli.output import show
from whoknows.errors import NotFound


def history(memory_id: MemoryId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """The texts a memory had, what it replaced, and what replaced it."""
    with connect(agent) as wk:
        show(wk.history(memory_id), as_json, draw.history)


def why(
    memory_id: MemoryId,
    reader: Annotated[str | None, Option("--reader", help="agent:x or member:m; default: yourself.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Why a reader sees a memory, or why not."""
    with connect(agent) as wk:
        show(wk.why(memory_id, reader), as_json, draw_knowledge.why)


def knows(
    project: Project = None,
    team: Team = None,
    tags: Tags = None,
    limit: Limit = 20,
    cursor: Cursor = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Who knows what, of all that you may see."""
    with connect(agent) as wk:
        answer = wk.knows(limit=limit, cursor=cursor, project_id=project, team_id=team, tags=tags or ())
        show(answer, as_json, draw_knowledge.matrix)


def trace(
    identity: Annotated[str, Argument(metavar="ID", help="Id of a memory, or of a trace; recall answers with both.")],
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Where a memory comes from, down to the lines of its sources. Or what one of your recalls did: where it searched, what it
    found, what it dropped and why."""
    from whoknows.client import ApiError

    with connect(agent) as wk:
        try:
            found, drawn = wk.provenance(identity), draw_provenance.provenance
        except ApiError as fault:
            if fault.status != 404:
                raise
            try:
                found, drawn = wk.trace(identity), draw_knowledge.trace
            except ApiError as neither:
                if neither.status == 404:
                    raise NotFound("there is no memory that you may see, and no trace of yours, with this id") from None
                raise
        show(found, as_json, drawn)


def reverify(memory_id: MemoryId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Look for the quotes of a memory again, in the newest state of each source."""
    with connect(agent) as wk:
        show(wk.reverify(memory_id), as_json, draw.memory)
