"""Handing over: tasks with their tokens, and injections, each verb as the call that it is."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, named, path


class GiftFields(TypedDict, total=False):
    """``depth`` minimal, standard or full; ``memory_ids`` given by id; ``task_id`` binds the copies to an open task."""

    depth: str | None
    memory_ids: Sequence[str] | None
    project_id: str | None
    task_id: str | None
    expires_in: int | None
    may_pass_on: bool | None
    max_tokens: int | None


def open_task(task_id: str, agents: Sequence[str], *, expires_in: int | None = None) -> Call[Json]:
    """Open a task for descendants; the answer holds a token for each, this once. ``expires_in`` in seconds."""
    return Call("POST", "/tasks", body={"task_id": task_id, "agents": list(agents), **named({"expires_in": expires_in})})


def tasks() -> Call[Page]:
    """Those that one opened or is on."""
    return Call("GET", "/tasks")


def close_task(task_id: str) -> Call[Json]:
    """Its tokens die, and what was injected for it goes."""
    return Call("POST", path("tasks", task_id, "close"))


def inject_context(agent_id: str, task: str, **fields: Unpack[GiftFields]) -> Call[Json]:
    """Give a descendant its context. The same again gives no second copy."""
    return Call("POST", "/inject-context", body={"agent_id": agent_id, "task": task, **named(fields)})


def injections(*, direction: str | None = None, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    """``direction`` given or received."""
    return Call("GET", "/injections", {"direction": direction, "limit": limit, "cursor": cursor})


def injection(injection_id: str) -> Call[Json]:
    return Call("GET", path("injections", injection_id))


def withdraw_injection(injection_id: str) -> Call[Json]:
    """By the agent that gave it."""
    return Call("DELETE", path("injections", injection_id))
