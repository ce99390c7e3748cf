"""`whoknows chat | conversations …`: to ask the master agent, and to read what was said."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli.connection import connect
from whoknows.cli.draw import deleted, short
from whoknows.cli.faults import CliFault, of_status
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, Yes
from whoknows.cli.output import console, plain, say, show, table, text, when
from whoknows.cli.typed import confirmed, given_text

if TYPE_CHECKING:
    from rich.console import Console

app = Typer(help="What was said with the master agent.", no_args_is_help=True, rich_markup_mode=None)
_Conversation = Annotated[str, Argument(metavar="ID", help="Id of a conversation.")]


def chat(
    message: Annotated[str, Argument(metavar="TEXT", help="What you say; '-': standard input.")],
    project: Annotated[str, Option("--project", "-p", help="In this project: its memories and its prompt go in.")],
    conversation: Annotated[str | None, Option("--conversation", "-c", metavar="ID", help="Go on with this one.")] = None,
    retry: Annotated[
        str | None, Option("--retry", metavar="ID", help="Ask a message of the conversation again that has no answer.")
    ] = None,
    distill: Annotated[
        bool, Option("--distill/--no-distill", help="Whether what you say may become memory by itself, if it is worth it.")
    ] = True,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Ask the master agent; the answer comes as it is spoken. Without a model it shows what the memories say.

    Ctrl-C ends the model's call; what it had said is kept in the conversation.
    """
    said = given_text(message)
    with connect(agent) as wk:
        if conversation is not None and not as_json:
            _remembered(wk.conversation(conversation, limit=1)["messages"])
        for event in wk.chat_stream(project, said, conversation_id=conversation, retry_of=retry, distill=distill):
            match event["kind"]:
                case "delta" if not as_json:
                    print(plain(event["text"]), end="", flush=True)
                case "done":
                    if not as_json:
                        print()
                    show({k: v for k, v in event.items() if k not in ("kind", "id")}, as_json, _below)
                case "error":
                    _broken(event, as_json)
                case _:
                    pass


@app.command("list")
def list_conversations(
    project: Annotated[str | None, Option("--project", "-p", help="Only of this project.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Your conversations, those with the newest message first."""
    with connect(agent) as wk:
        show(wk.conversations(project_id=project, limit=limit, cursor=cursor), as_json, _page)


@app.command("show")
def show_conversation(
    conversation_id: _Conversation, limit: Limit = 50, cursor: Cursor = None, agent: AsAgent = None, as_json: AsJson = False
) -> None:
    """The newest messages of a conversation, in the order in which they were said."""
    with connect(agent) as wk:
        show(wk.conversation(conversation_id, limit=limit, cursor=cursor), as_json, _conversation)


@app.command("delete")
def delete_conversation(
    conversation_id: _Conversation, yes: Yes = False, agent: AsAgent = None, as_json: AsJson = False
) -> None:
    """Delete a conversation: messages, answers, and the traces of the answers."""
    confirmed(f"Delete the conversation {conversation_id}?", yes)
    with connect(agent) as wk:
        show(wk.forget_conversation(conversation_id), as_json, deleted)


def _remembered(messages: list[dict[str, Any]]) -> None:
    """What the turn before left, which was not known yet when it was answered."""
    for memory in (r for m in messages for r in m["remembered"]):
        say(f"remembered: {short(memory['content'])} ({memory['memoryType']}, {memory['memoryId']})")


def _broken(event: dict[str, Any], as_json: bool) -> None:
    """What is there in spite of it, for people; then the fault, which is the command's own."""
    if not as_json:
        print()
        if event.get("evidence"):
            out = console(stderr=True)
            out.print(text("Meanwhile, what the memories say:", "bold"))
            _sources(out, event["evidence"])
    detail = event["detail"]
    if event.get("retryOf"):
        detail += f" (again: --conversation {event['conversationId']} --retry {event['retryOf']})"
    sys.stdout.flush()
    raise CliFault(event["code"], detail, of_status(event["status"]))


def _below(out: "Console", answer: dict[str, Any]) -> None:
    if answer["mode"] == "full":  # in evidence mode they are the answer
        _sources(out, answer["sources"])
    by = answer["model"] or "no model"
    out.print(text(f"{by} · conversation {answer['conversationId']} · trace {answer['traceId']}", "dim"), soft_wrap=True)


def _sources(out: "Console", sources: list[dict[str, Any]]) -> None:
    for n, source in enumerate(sources, 1):
        out.print(text(f"[{n}] {short(source['excerpt'], source['title'])}", "dim"))
        out.print(text(f"    {source['category']} · {source['id']}", "dim"))


def _page(out: "Console", page: dict[str, Any]) -> None:
    rows = [(c["conversationId"], c["projectId"], when(c["updatedAt"]), short(c["title"])) for c in page["items"]]
    out.print(table(("id", "project", "last message", "title"), rows) if rows else text("No conversations."))
    if page["nextCursor"]:
        out.print(text(f"more: --cursor {page['nextCursor']}", "dim"))


def _conversation(out: "Console", found: dict[str, Any]) -> None:
    out.print(text(f"{found['projectId']} · {found['conversationId']}", "dim"))
    if found["nextCursor"]:
        out.print(text(f"before this: --cursor {found['nextCursor']}", "dim"))
    for m in found["messages"]:
        state = "" if m["state"] == "done" else f" · {m['state']}{': ' + m['error'] if m['error'] else ''} · {m['messageId']}"
        out.print(text(f"{m['role']}{state}", "bold"))
        out.print(text(m["content"]))
        for memory in m["remembered"]:
            out.print(text(f"remembered: {short(memory['content'])} · {memory['memoryType']} · {memory['memoryId']}", "dim"))
