"""`whoknows capture | recall | list | get`: to remember, and to know again."""

from typing import Annotated

from typer import Argument, Option

from whoknows.cli import draw
from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, MemoryId, Project, ProjectOrPath, Session, Tags, Task, Team
from whoknows.cli.output import show
from whoknows.cli.typed import given_text
from whoknows.cli.workplace_of import is_path, routed
from whoknows.domain.audience import Layer
from whoknows.domain.memory import Category, Isolation, State

_Category = Annotated[Category | None, Option("--category", help="What kind of statement it is.")]


def capture(
    content: Annotated[str | None, Argument(metavar="TEXT", help="The text; left out or '-': standard input.")] = None,
    team: Annotated[str | None, Option("--team", help="For this team to read; '*' is everyone. Default: private.")] = None,
    visible_to: Annotated[list[str] | None, Option("--visible-to", help="Agent that may read it too; may be repeated.")] = None,
    category: _Category = None,
    title: Annotated[str | None, Option("--title", help="A heading; it is searched as well.")] = None,
    tags: Tags = None,
    project: ProjectOrPath = None,
    session: Session = None,
    task: Task = None,
    isolation: Annotated[Isolation | None, Option("--isolation", help="How far it may be seen.")] = None,
    source: Annotated[
        str | None, Option("--source", help="Where it stands: git:NAME@REV:PATH, file:NAME/PATH, message:ID, memory:ID, url:….")
    ] = None,
    quote: Annotated[str | None, Option("--quote", help="The words of the source, to the letter: they are looked for.")] = None,
    expires_at: Annotated[str | None, Option("--expires-at", help="Gone after this time (RFC 3339).")] = None,
    expires_in: Annotated[int | None, Option("--expires-in", help="Gone after so many seconds.")] = None,
    subject: Annotated[str | None, Option("--subject", help="What it is about, as a key: service-a.postgres.version.")] = None,
    account: Annotated[str | None, Option("--account", help="For this member, whom the agent works for.")] = None,
    supersedes: Annotated[str | None, Option("--supersedes", metavar="ID", help="The memory that it overturns.")] = None,
    reason: Annotated[str | None, Option("--reason", help="Why.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Remember a text.

    With a path as --project it is kept for you, and all your agents recall it, unless --team, --visible-to or --isolation
    say otherwise.
    """
    body = given_text(content)
    with connect(agent) as wk:
        directory = routed(wk, project)["directory"] if project is not None and is_path(project) else None
        answer = wk.capture(
            body,
            memory_type="private" if team is None else "team",
            team_id=team,
            visible_to=visible_to or (),
            category=category,
            title=title,
            tags=tags or (),
            directory=directory,
            project_id=project if directory is None else None,
            session_id=session,
            task_id=task,
            isolation=isolation,
            source=source,
            quote=quote,
            expires_at=expires_at,
            expires_in=expires_in,
            subject=subject,
            account=account,
            supersedes=supersedes,
            reason=reason,
        )
        show(answer, as_json, draw.captured)


def recall(
    query: Annotated[str, Argument(help="The question; '-': standard input.")],
    limit: Limit = 10,
    min_score: Annotated[
        float | None, Option("--min-score", help="0 to 1; default: the calibrated floor; 0: no floor.")
    ] = None,
    project: ProjectOrPath = None,
    session: Session = None,
    task: Task = None,
    team: Team = None,
    category: _Category = None,
    tags: Tags = None,
    with_history: Annotated[bool, Option("--history", help="With what each memory replaced, and what replaced it.")] = False,
    with_trace: Annotated[bool, Option("--trace", help="With what the search did.")] = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What you may know about a question, best first; nothing where nothing fits."""
    include = [name for name, wanted in (("history", with_history), ("trace", with_trace)) if wanted]
    with connect(agent) as wk:
        directory = routed(wk, project)["directory"] if project is not None and is_path(project) else None
        answer = wk.recall(
            given_text(query),
            limit=limit,
            min_score=min_score,
            include=include,
            directory=directory,
            project_id=project if directory is None else None,
            session_id=session,
            task_id=task,
            team_id=team,
            category=category,
            tags=tags or (),
        )
        show(answer, as_json, draw.recollection)


def list_memories(
    layer: Annotated[Layer | None, Option("--layer", help="Only this layer.")] = None,
    state: Annotated[State | None, Option("--state", help="In this state; default: current ones.")] = None,
    project: Project = None,
    session: Session = None,
    task: Task = None,
    team: Team = None,
    category: _Category = None,
    tags: Tags = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What you may read, newest first."""
    with connect(agent) as wk:
        answer = wk.list(
            limit=limit,
            cursor=cursor,
            layer=layer,
            state=state,
            project_id=project,
            session_id=session,
            task_id=task,
            team_id=team,
            category=category,
            tags=tags or (),
        )
        show(answer, as_json, draw.memory_page)


def get(memory_id: MemoryId, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """One memory, whole."""
    with connect(agent) as wk:
        show(wk.get(memory_id), as_json, draw.memory)
