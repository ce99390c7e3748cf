"""Agents, members, teams, tenants and keys on the wire."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole, Clearance, GateLevel, TeamRole
from whoknows.flows.administer import AgentPatch, NewAgent
from whoknows.rest.schemas.forms import Flag, Form, Label, Moment, Seconds, Told, one_end, unless_named

_AT = "2026-01-31T12:00:00Z"


class AgentIn(Form):
    """A new agent."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"agent_id": "wukong", "role": "sub", "parent": "maomao"}]})

    agent_id: Label
    """Any characters but control characters; never given out again."""
    role: AgentRole
    parent: Label | None = None
    """The agent that a sub-agent belongs to."""
    account: Label | None = None
    """The member that a main agent works for."""
    clearance: Clearance = Clearance.OPEN
    """`need_to_know`: reads only its own and what was injected for it."""

    def new(self) -> NewAgent:
        return NewAgent(self.agent_id, self.role, self.parent, self.account, self.clearance)


class AgentPatchIn(Form):
    """Only the fields that are named change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"clearance": "need_to_know"}]})

    role: AgentRole = unless_named(AgentRole.MAIN)
    parent: Label | None = None
    account: Label | None = None
    clearance: Clearance = unless_named(Clearance.OPEN)

    def patch(self) -> AgentPatch:
        named = frozenset(self.model_fields_set)
        role = self.role if "role" in named else None
        return AgentPatch(named, role, self.parent, self.account, self.clearance if "clearance" in named else None)


class Agent(Told):
    """An agent."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "agent_id": "wukong",
                    "role": "sub",
                    "parent": "maomao",
                    "account": None,
                    "clearance": "open",
                    "created_at": _AT,
                }
            ]
        }
    )

    agent_id: str
    role: AgentRole
    parent: str | None
    account: str | None
    clearance: Clearance
    created_at: datetime


class MemberIn(Form):
    """A new member: a person."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"member_id": "lin", "name": "Lin Daiyu"}]})

    member_id: Label
    name: Label | None = None
    """The name that is shown."""


class MemberPatchIn(Form):
    """Only the fields that are named change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Lin", "gate": "verified"}]})

    name: Label | None = None
    """Another name to be shown; null: the id itself."""
    gate: GateLevel = unless_named(GateLevel.OPEN)
    """What the account's memory asks of everything that is written there."""

    @model_validator(mode="after")
    def _something(self) -> "MemberPatchIn":
        if not self.model_fields_set:
            raise ValueError("nothing to change: name at least one field")
        return self


class Member(Told):
    """A member."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"member_id": "lin", "name": "Lin Daiyu", "gate": "open", "created_at": _AT}]}
    )

    member_id: str
    name: str
    gate: GateLevel
    created_at: datetime


class TeamIn(Form):
    """A new team."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"team_id": "backend", "name": "Backend"}]})

    team_id: Label
    name: Label | None = None
    gate: GateLevel = GateLevel.OPEN
    """`open`, `sourced` (a source is named), `verified` (its quote was found) or `reviewed` (a member lets it in)."""
    share_with_subagents: Flag = False


class TeamPatchIn(Form):
    """Only the fields that are named change."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Backend and data"}]})

    name: Label = unless_named("")
    gate: GateLevel = unless_named(GateLevel.OPEN)
    share_with_subagents: Flag = unless_named(False)


class Membership(Told):
    """Somebody on a team."""

    principal: str = Field(examples=["agent:wukong"])
    role: TeamRole


class MembershipIn(Form):
    """The role on the team."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"role": "writer"}]})

    role: TeamRole


class Team(Told):
    """A team; `*` is everyone's."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "team_id": "backend",
                    "name": "Backend",
                    "gate": "open",
                    "share_with_subagents": False,
                    "members": [{"principal": "agent:wukong", "role": "writer"}],
                    "created_at": _AT,
                }
            ]
        }
    )

    team_id: str
    name: str
    gate: GateLevel
    share_with_subagents: bool
    members: list[Membership]
    created_at: datetime


class AgentList(Told):
    items: list[Agent]
    next_cursor: str | None


class MemberList(Told):
    items: list[Member]
    next_cursor: str | None


class TeamList(Told):
    items: list[Team]
    next_cursor: str | None


class KeyIn(Form):
    """A new key. It carries nothing that its maker lacks."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"acts_as": ["wukong"], "expires_in": 86400}]})

    acts_as: list[Label] = Field(default_factory=list[str], max_length=200)
    """Agent ids, or principals: `agent:x`, `member:m`."""
    role: Literal["admin"] | None = None
    """Short for the permission `admin`."""
    permissions: list[Permission] = Field(default_factory=list[Permission], max_length=20)
    task_id: Label | None = None
    """A key for one agent and one task."""
    expires_at: Moment | None = None
    expires_in: Seconds | None = None

    @model_validator(mode="after")
    def _one_end(self) -> "KeyIn":
        one_end(self.expires_at, self.expires_in)
        return self

    def granted(self) -> list[Permission]:
        named = [*self.permissions, *([Permission.ADMIN] if self.role == "admin" else [])]
        return list(dict.fromkeys(named))


class NewKey(Told):
    """A key as it is shown this once: only its hash is kept."""

    id: UUID
    key: str = Field(examples=["wk_…"])


class Key(Told):
    """A key, without its secret."""

    id: UUID
    acts_as: list[str] = Field(examples=[["agent:wukong"]])
    permissions: list[Permission]
    task_id: str | None
    expires_at: datetime | None
    created_at: datetime | None
    revoked_at: datetime | None


class KeyList(Told):
    items: list[Key]
    next_cursor: str | None


class TenantIn(Form):
    """A new tenant: a wall."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"tenant_id": "acme"}]})

    tenant_id: Label


class NewTenant(Told):
    """A tenant and the key of its administrator, which is shown this once."""

    tenant_id: str = Field(examples=["acme"])
    id: UUID
    """The id of the key."""
    key: str = Field(examples=["wk_…"])
