"""The verbs of banks: take in a fact, and where the facts of a project go, each as the call that it is."""

from collections.abc import Sequence
from typing import TypedDict, Unpack
from uuid import uuid4

from whoknows.client.answers import Captured, Json, Page
from whoknows.client.call import Call, named, path


class FactFields(TypedDict, total=False):
    """``team_id`` is needed only for a team's fact that belongs to no project. ``directory`` on this machine may say which."""

    project_id: str | None
    directory: str | None
    team_id: str | None
    subject: str | None
    supersedes: str | None
    reason: str | None
    agent_id: str | None


def ingest(text: str, *, source: str, quote: str, context: str, **fields: Unpack[FactFields]) -> Call[Captured]:
    """Take in a fact: ``quote`` must stand in ``source``, ``context`` is personal or team. Safe to repeat."""
    body = {"text": text, "source": source, "quote": quote, "context": context, **named(fields)}
    return Call("POST", "/ingest", body=body, headers={"Idempotency-Key": str(uuid4())})


def banks() -> Call[Page]:
    """Which sets of memories the caller reads and writes, through which gate, and which projects are routed to each."""
    return Call("GET", "/banks")


def routing(project_id: str) -> Call[Json]:
    """``{project_id, team_id, git_remotes}``; a project that goes where the caller may not read looks like a new one."""
    return Call("GET", path("projects", project_id, "bank"))


def route_project(project_id: str, team_id: str | None, git_remotes: Sequence[str] = ()) -> Call[Json]:
    """For administrators: send the facts of a project to a team (None: nowhere). It is said anew as a whole."""
    body = {"team_id": team_id, "git_remotes": list(git_remotes)}
    return Call("PUT", path("projects", project_id, "bank"), body=body)
