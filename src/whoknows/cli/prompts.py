"""`whoknows prompts` and `whoknows context`: what a model is told before the message, and the whole that it would see."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from whoknows.cli import draw_context as draw
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.options import AsAgent, AsJson, Cursor, Limit, Project
from whoknows.cli.output import show
from whoknows.cli.typed import given_text
from whoknows.domain.prompt import Effort, PromptLayer

if TYPE_CHECKING:
    from whoknows.client import WhoKnows

app = Typer(
    help="The three prompts: the administrator's global one, a user's own, and that of the conversations in a project.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Json = dict[str, Any]


class _All(StrEnum):
    """The layers, and all of them."""

    GLOBAL = "global"
    USER = "user"
    CONVERSATION = "conversation"
    ALL = "all"


_Layer = Annotated[
    PromptLayer, Argument(metavar="LAYER", help="global (administrators), user, or conversation (with --project).")
]
_Account = Annotated[str | None, Option("--account", help="Which member, where the key has several.")]


@app.command("show")
def show_prompts(
    layer: Annotated[_All, Argument(metavar="LAYER", help="global, user or conversation; default: all.")] = _All.ALL,
    project: Project = None,
    account: _Account = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What the prompts say now, in the order in which they are put together."""
    if layer is _All.CONVERSATION and project is None:
        raise _no_project()
    with connect(agent) as wk:
        found: Json = {}
        if layer in (_All.ALL, _All.GLOBAL):
            found["global"] = wk.prompt_policy()
        if layer in (_All.ALL, _All.USER):
            found["user"] = _or_none(wk, account) if layer is _All.ALL else wk.user_prompt(account)
        if project is not None and (layer is _All.CONVERSATION or (layer is _All.ALL and found["user"] is not None)):
            found["conversation"] = wk.agent_controls(project, account)
        show(found, as_json, draw.prompts)


@app.command("set")
def set_prompt(
    layer: _Layer,
    content: Annotated[
        str | None, Argument(metavar="TEXT", help="The prompt; '' empties it; left out or '-': standard input.")
    ] = None,
    project: Project = None,
    model: Annotated[str | None, Option("--model", help="Model of these conversations; '' for the installation's.")] = None,
    effort: Annotated[str | None, Option("--effort", help="How hard it thinks: low, medium, high; '' for its own.")] = None,
    version: Annotated[int | None, Option("--version", min=0, help="Only if this version is still the newest.")] = None,
    account: _Account = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Save a prompt. Every save is a version; nothing of a lower layer ever changes a higher one."""
    of_conversation = layer is PromptLayer.CONVERSATION
    if not of_conversation and (model is not None or effort is not None or project is not None):
        raise CliFault("usage", "--project, --model and --effort belong to the layer conversation", ExitCode.USAGE)
    if of_conversation and project is None:
        raise _no_project()
    if effort and effort not in set(Effort):
        raise CliFault("usage", "--effort is low, medium or high", ExitCode.USAGE)
    only_controls = of_conversation and content is None and (model is not None or effort is not None)
    body = None if only_controls else given_text(content)
    if body is not None and content is None and not body.strip():  # a pipe with nothing in it takes no prompt away
        raise CliFault("usage", "there is no text: give it as an argument or on standard input; '' empties it", ExitCode.USAGE)
    with connect(agent) as wk:
        match layer:
            case PromptLayer.GLOBAL:
                saved = wk.set_prompt_policy(body or "", version=version)
            case PromptLayer.USER:
                saved = wk.set_user_prompt(body or "", account=account, version=version)
            case PromptLayer.CONVERSATION:
                given = {"promptOverride": body, "modelOverride": model, "reasoningEffortOverride": effort}
                fields: Any = {k: v if k == "promptOverride" else v or None for k, v in given.items() if v is not None}
                more = {"account": account, "version": version}
                fields |= {k: v for k, v in more.items() if v is not None}
                saved = wk.set_agent_controls(project or "", **fields)
        show(saved, as_json, draw.saved)


@app.command("history")
def show_history(
    layer: _Layer,
    project: Project = None,
    limit: Limit = 20,
    cursor: Cursor = None,
    account: _Account = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Who saved which text when, newest first."""
    with connect(agent) as wk:
        match layer:
            case PromptLayer.GLOBAL:
                page = wk.prompt_policy_history(limit=limit, cursor=cursor)
            case PromptLayer.USER:
                page = wk.user_prompt_history(account=account, limit=limit, cursor=cursor)
            case PromptLayer.CONVERSATION:
                if project is None:
                    raise _no_project()
                page = wk.agent_controls_history(project, account=account, limit=limit, cursor=cursor)
        show(page, as_json, draw.history)


def context(
    message: Annotated[str, Argument(metavar="TEXT", help="The message; '-': standard input.")],
    project: Annotated[str, Option("--project", help="The project that it is about.")],
    conversation: Annotated[str | None, Option("--conversation", help="The conversation that it is in.")] = None,
    account: _Account = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What a model would see for a message: seven parts, their tokens, and what had no room. Looking uses nothing."""
    with connect(agent) as wk:
        found = wk.context(project, given_text(message), conversation_id=conversation, account=account)
        show(found, as_json, draw.context)


def _or_none(wk: "WhoKnows", account: str | None) -> Json | None:
    """The user's prompt; None where there is no account behind the key, which is no fault where everything is shown."""
    from whoknows.client import ApiError

    try:
        return wk.user_prompt(account)
    except ApiError as fault:
        if fault.code not in ("no_account", "permission_missing"):  # the latter: a key that only administers
            raise
        return None


def _no_project() -> CliFault:
    return CliFault("usage", "the layer conversation belongs to a project: name it by --project", ExitCode.USAGE)
