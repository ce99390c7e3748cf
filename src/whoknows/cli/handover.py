"""`whoknows inject`, `whoknows injections`, `whoknows tasks`: what a main agent hands to its sub-agents."""

from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit
from whoknows.cli.output import counted, say, show, table, text, when
from whoknows.cli.typed import given_text
from whoknows.domain.injection import Depth

if TYPE_CHECKING:
    from rich.console import Console

tasks_app = Typer(help="Tasks for sub-agents, and their tokens.", no_args_is_help=True, rich_markup_mode=None)
injections_app = Typer(help="What was given to sub-agents.", no_args_is_help=True, rich_markup_mode=None)
Json = dict[str, Any]

_TaskName = Annotated[str, Argument(metavar="TASK", help="Name of the task.")]
_Injection = Annotated[str, Argument(metavar="ID", help="Id of an injection.")]


def inject(
    target: Annotated[str, Argument(metavar="AGENT", help="The sub-agent that is to know it.")],
    task: Annotated[str | None, Argument(metavar="TEXT", help="What it is to do; standard input where left out.")] = None,
    depth: Annotated[Depth, Option("--depth", help="minimal: what matches; standard: and the project; full: all.")] = (
        Depth.STANDARD
    ),
    memory: Annotated[list[str] | None, Option("--memory", help="Give this memory, by its id; repeat it for several.")] = None,
    project: Annotated[str | None, Option("--project", help="Its memories go in too, where they may be given.")] = None,
    task_id: Annotated[str | None, Option("--task", help="Bind the copies to this open task.")] = None,
    expires_in: Annotated[int | None, Option("--expires-in", min=1, help="Seconds after which the copies end.")] = None,
    may_pass_on: Annotated[bool, Option("--may-pass-on", help="Let it give the copies to its own sub-agents.")] = False,
    budget: Annotated[int | None, Option("--budget", min=1, help="Most tokens of the context.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Give a sub-agent what it needs, and print the context that it begins with."""
    with connect(agent) as wk:
        given = wk.inject_context(
            target,
            given_text(task),
            depth=str(depth),
            memory_ids=memory,
            project_id=project,
            task_id=task_id,
            expires_in=expires_in,
            may_pass_on=may_pass_on or None,
            max_tokens=budget,
        )
        show(given, as_json, _context)


@injections_app.command("list")
def list_injections(
    given: Annotated[bool, Option("--given", help="Only what you gave.")] = False,
    received: Annotated[bool, Option("--received", help="Only what you were given.")] = False,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What you gave, ended or not, and what you were given and still have."""
    direction = "given" if given and not received else "received" if received and not given else None
    with connect(agent) as wk:
        show(wk.injections(direction=direction, limit=limit, cursor=cursor), as_json, _injections)


@injections_app.command("get")
def get_injection(injection_id: _Injection, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """One of them."""
    with connect(agent) as wk:
        show(wk.injection(injection_id), as_json, lambda console, i: _injections(console, {"items": [i], "next_cursor": None}))


@injections_app.command()
def withdraw(injection_id: _Injection, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Take back what you gave. The very next request of the sub-agent does not find it any more."""
    with connect(agent) as wk:
        show(wk.withdraw_injection(injection_id), as_json, lambda console, _: console.print(text("It is withdrawn.")))


@tasks_app.command("open")
def open_task(
    task_id: _TaskName,
    agents: Annotated[list[str], Argument(metavar="AGENT", help="The sub-agents that it is for.")],
    expires_in: Annotated[int | None, Option("--expires-in", min=1, help="Seconds after which it ends by itself.")] = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Open a task; each sub-agent gets a token that is shown this once. Open it again to add agents, or for new tokens."""
    with connect(agent) as wk:
        opened = wk.open_task(task_id, agents, expires_in=expires_in)
        show(opened, as_json, _opened)
        if not as_json:
            say("A token is a key for that agent and this task alone. It is not shown again.")


@tasks_app.command("list")
def list_tasks(agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Those that you opened or are on."""
    with connect(agent) as wk:
        show(wk.tasks(), as_json, _tasks)


@tasks_app.command("close")
def close_task(task_id: _TaskName, agent: AsAgent = None, as_json: AsJson = False) -> None:
    """Close a task that you opened: its tokens die, what was injected for it goes."""
    with connect(agent) as wk:
        show(wk.close_task(task_id), as_json, _closed)


def _context(console: "Console", given: Json) -> None:
    console.print(text(given["context"]))
    held = counted(len(given["memories"]), "memory", "memories")
    say(f"{held}, {counted(given['token_count'], 'token')} ({given['tokenizer']})")
    if not given["memories"]:
        say("Nothing was found that may be given: name private memories of yours by --memory")
    if given["dropped"]:
        say(f"{len(given['dropped'])} did not fit and were not given: raise --budget, or choose a smaller --depth")


def _injections(console: "Console", page: Json) -> None:
    rows = [
        (
            i["id"],
            i["injected_by"],
            i["agent_id"],
            i["basis"],
            i["task_id"] or "",
            f"ended: {i['ended_why']}" if i["ended_at"] else "the original changed since" if i["origin_changed"] else "there",
        )
        for i in page["items"]
    ]
    console.print(table(("id", "given by", "to", "basis", "task", "state"), rows) if rows else text("Nothing was given."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _opened(console: "Console", opened: Json) -> None:
    console.print(table(("agent", "token"), list(opened["tokens"].items())))


def _tasks(console: "Console", page: Json) -> None:
    rows = [
        (t["task_id"], t["opened_by"], f"closed {when(t['closed_at'])}" if t["closed_at"] else "open", ", ".join(t["agents"]))
        for t in page["items"]
    ]
    console.print(table(("task", "opened by", "state", "agents"), rows))


def _closed(console: "Console", closed: Json) -> None:
    tokens = counted(closed["tokens_revoked"], "token")
    copies = counted(closed["injections_ended"], "injected copy", "injected copies")
    console.print(text(f"{closed['task_id']} is closed: {tokens} died, {copies} went."))
