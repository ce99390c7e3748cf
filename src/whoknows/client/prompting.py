"""The verbs of the master agent's prompts, contexts and account memories, each as the call that it is."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from whoknows.client.answers import Deleted, Json
from whoknows.client.call import Call, named, path


class ControlFields(TypedDict, total=False):
    """What is named changes; None takes a model or an effort (low, medium, high) away. ``version``: the one that was read."""

    promptOverride: str
    modelOverride: str | None
    reasoningEffortOverride: str | None
    account: str
    version: int


class MasterMemoryFields(TypedDict, total=False):
    """``scope`` global or project; ``memoryType`` such as user_preference or decision."""

    scope: str
    projectId: str
    title: str
    memoryType: str
    tags: Sequence[str]
    sourceMessageId: str
    account: str


class MasterMemoryChange(TypedDict, total=False):
    """What is named changes. ``archived`` puts a memory away or brings it back."""

    content: str
    title: str
    memoryType: str
    tags: Sequence[str]
    archived: bool
    version: int
    account: str


def prompt_policy() -> Call[Json]:
    """The administrator's global prompt."""
    return Call("GET", "/master-agent/prompt-policy")


def set_prompt_policy(text: str, *, version: int | None = None) -> Call[Json]:
    """For administrators. Empty takes it away; ``version``: only if that one is still there."""
    return Call("POST", "/master-agent/prompt-policy", body={"globalPrompt": text, **named({"version": version})})


def prompt_policy_history(*, limit: int | None = None, cursor: str | None = None) -> Call[Json]:
    return Call("GET", "/master-agent/prompt-policy/history", {"limit": limit, "cursor": cursor})


def user_prompt(account: str | None = None) -> Call[Json]:
    """The own prompt of the member, or of the member that a main agent works for."""
    return Call("GET", "/master-agent/user-prompt", {"account": account})


def set_user_prompt(text: str, *, account: str | None = None, version: int | None = None) -> Call[Json]:
    body = {"content": text, **named({"account": account, "version": version})}
    return Call("POST", "/master-agent/user-prompt", body=body)


def user_prompt_history(*, account: str | None = None, limit: int | None = None, cursor: str | None = None) -> Call[Json]:
    return Call("GET", "/master-agent/user-prompt/history", {"account": account, "limit": limit, "cursor": cursor})


def agent_controls(project_id: str, account: str | None = None) -> Call[Json]:
    """Prompt, model and effort of an account's conversations in a project."""
    return Call("GET", path("projects", project_id, "agent-controls"), {"account": account})


def set_agent_controls(project_id: str, **fields: Unpack[ControlFields]) -> Call[Json]:
    return Call("POST", path("projects", project_id, "agent-controls"), body=fields)


def agent_controls_history(
    project_id: str, *, account: str | None = None, limit: int | None = None, cursor: str | None = None
) -> Call[Json]:
    query = {"account": account, "limit": limit, "cursor": cursor}
    return Call("GET", path("projects", project_id, "agent-controls", "history"), query)


def context(project_id: str, message: str, *, conversation_id: str | None = None, account: str | None = None) -> Call[Json]:
    """What a model would see for ``message``: seven parts, what had no room, and the whole (``composed``). It uses nothing."""
    # By POST: addresses end up in the logs of what stands between.
    body = {"projectId": project_id, "message": message, **named({"conversationId": conversation_id, "account": account})}
    return Call("POST", "/master-agent/context", body=body, reads=True)


def master_memories(
    *,
    scope: str | None = None,
    project_id: str | None = None,
    memory_type: str | None = None,
    tags: Sequence[str] = (),
    archived: bool = False,
    distilled: bool | None = None,
    batch_id: str | None = None,
    account: str | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Call[Json]:
    """The memories of an account, newest first. ``distilled``: only what was kept of talk, or only the rest."""
    query = {
        "scope": scope,
        "projectId": project_id,
        "memoryType": memory_type,
        "tags": list(tags),
        "archived": "true" if archived else None,
        "distilled": None if distilled is None else str(distilled).lower(),
        "batchId": batch_id,
        "account": account,
        "limit": limit,
        "cursor": cursor,
    }
    return Call("GET", "/master-agent/memories", query)


def add_master_memory(content: str, **fields: Unpack[MasterMemoryFields]) -> Call[Json]:
    """Safe to repeat: the same words again are the same memory."""
    return Call("POST", "/master-agent/memories", body={"content": content, **named(fields)}, idempotent=True)


def change_master_memory(memory_id: str, **fields: Unpack[MasterMemoryChange]) -> Call[Json]:
    return Call("POST", path("master-agent", "memories", memory_id), body=fields)


def delete_master_memory(memory_id: str) -> Call[Deleted]:
    return Call("DELETE", path("master-agent", "memories", memory_id))
