"""Options that many commands have, declared once."""

from typing import Annotated

from typer import Argument, Option

AsJson = Annotated[bool, Option("--json", help="Answer as JSON on standard output, and with nothing else there.")]
AsAgent = Annotated[
    str | None,
    Option("--agent", envvar="WHOKNOWS_AGENT", help="Act as this agent, where the key has several.", show_envvar=True),
]
MemoryId = Annotated[str, Argument(metavar="ID", help="Id of a memory.")]
Project = Annotated[str | None, Option("--project", help="Within this project.")]
ProjectOrPath = Annotated[
    str | None,
    Option("--project", metavar="PROJECT|PATH", help="Within this project; a path such as '.': the one connected there."),
]
Session = Annotated[str | None, Option("--session", help="Id of the session.")]
Task = Annotated[str | None, Option("--task", help="Id of the task.")]
Team = Annotated[str | None, Option("--team", help="Team; '*' is everyone.")]
Tags = Annotated[list[str] | None, Option("--tag", help="Tag; may be repeated.")]
Limit = Annotated[int, Option("--limit", "-n", min=1, help="How many at most.")]
Cursor = Annotated[str | None, Option("--cursor", help="Go on from here: next_cursor of the page before.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Do not ask.")]
