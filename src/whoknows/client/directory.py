"""Administration: agents, members, teams, keys, tenants and the audit trail, each verb as the call that it is."""

from collections.abc import Sequence
from typing import TypedDict, Unpack

from whoknows.client.answers import Json, Key, Page, Whoami
from whoknows.client.call import Call, named, path


class AgentFields(TypedDict, total=False):
    """``role`` main or sub, ``parent`` of a sub-agent, ``account`` (a member), ``clearance`` open or need_to_know."""

    role: str
    parent: str | None
    account: str | None
    clearance: str


class MemberFields(TypedDict, total=False):
    """``name`` None: the id itself. ``gate`` of its account memory: open, sourced, verified or reviewed."""

    name: str | None
    gate: str


class TeamFields(TypedDict, total=False):
    name: str | None
    gate: str | None
    share_with_subagents: bool | None


def whoami() -> Call[Whoami]:
    """What the key may act as and do."""
    return Call("GET", "/whoami")


def agents() -> Call[Page]:
    return Call("GET", "/agents")


def add_agent(agent_id: str, **fields: Unpack[AgentFields]) -> Call[Json]:
    fields.setdefault("role", "main")
    return Call("POST", "/agents", body={"agent_id": agent_id, **named(fields)})


def change_agent(agent_id: str, **fields: Unpack[AgentFields]) -> Call[Json]:
    """Only what is named changes; None takes a parent or an account away."""
    return Call("PATCH", path("agents", agent_id), body=fields)


def remove_agent(agent_id: str) -> Call[Json]:
    return Call("DELETE", path("agents", agent_id))


def members() -> Call[Page]:
    return Call("GET", "/members")


def add_member(member_id: str, name: str | None = None) -> Call[Json]:
    return Call("POST", "/members", body=named({"member_id": member_id, "name": name}))


def change_member(member_id: str, **fields: Unpack[MemberFields]) -> Call[Json]:
    return Call("PATCH", path("members", member_id), body=dict(fields))


def remove_member(member_id: str) -> Call[Json]:
    return Call("DELETE", path("members", member_id))


def teams() -> Call[Page]:
    return Call("GET", "/teams")


def add_team(team_id: str, **fields: Unpack[TeamFields]) -> Call[Json]:
    return Call("POST", "/teams", body={"team_id": team_id, **named(fields)})


def change_team(team_id: str, **fields: Unpack[TeamFields]) -> Call[Json]:
    return Call("PATCH", path("teams", team_id), body=named(fields))


def remove_team(team_id: str) -> Call[Json]:
    return Call("DELETE", path("teams", team_id))


def join_team(team_id: str, principal: str, role: str) -> Call[Json]:
    """Put ``agent:x`` or ``member:m`` on a team as ``reader``, ``writer`` or ``owner``, or change its role there."""
    return Call("PUT", path("teams", team_id, "members", principal), body={"role": role})


def leave_team(team_id: str, principal: str) -> Call[Json]:
    return Call("DELETE", path("teams", team_id, "members", principal))


def keys() -> Call[Page]:
    """The keys that one may revoke. Their secrets are nowhere."""
    return Call("GET", "/keys")


def add_key(
    acts_as: Sequence[str] = (),
    *,
    permissions: Sequence[str] = (),
    task_id: str | None = None,
    expires_in: int | None = None,
) -> Call[Key]:
    """A key for agents or members; never with more than its maker has. ``expires_in`` in seconds."""
    fields = {"permissions": list(permissions), "task_id": task_id, "expires_in": expires_in}
    return Call("POST", "/keys", body={"acts_as": list(acts_as), **named(fields)})


def revoke_key(key_id: str) -> Call[Json]:
    return Call("DELETE", path("keys", key_id))


def add_tenant(tenant_id: str) -> Call[Json]:
    """Found a tenant; the answer holds its administrator's key, this once."""
    return Call("POST", "/tenants", body={"tenant_id": tenant_id})


def audit(*, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    return Call("GET", "/audit", {"limit": limit, "cursor": cursor})
