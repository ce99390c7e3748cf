"""Principals: agents, members and teams, and what they may be called."""

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from whoknows.domain.ids import PrincipalId

EVERYONE = "*"
"""The built-in team of everybody in the tenant."""

_RESERVED_PREFIXES = ("agent:", "member:", "team:")
NAME_LIMIT = 200
"""Longest name in characters."""


class Kind(StrEnum):
    AGENT = "agent"
    MEMBER = "member"
    TEAM = "team"


class AgentRole(StrEnum):
    MAIN = "main"
    SUB = "sub"


class Clearance(StrEnum):
    OPEN = "open"
    NEED_TO_KNOW = "need_to_know"


class TeamRole(StrEnum):
    READER = "reader"
    WRITER = "writer"
    OWNER = "owner"

    @property
    def writes(self) -> bool:
        return self is not TeamRole.READER


class GateLevel(StrEnum):
    OPEN = "open"
    SOURCED = "sourced"
    VERIFIED = "verified"
    REVIEWED = "reviewed"


@dataclass(frozen=True, slots=True)
class Principal:
    """Somebody or some team of one tenant, by its internal id, with the name that people use."""

    id: PrincipalId
    kind: Kind
    name: str

    @property
    def space(self) -> str:
        """How the interface writes it: ``agent:x``, ``member:m``, ``team:t``, or ``*``."""
        return EVERYONE if self.kind is Kind.TEAM and self.name == EVERYONE else f"{self.kind}:{self.name}"


@dataclass(frozen=True, slots=True)
class Agent:
    principal: Principal
    role: AgentRole
    clearance: Clearance
    parent: Principal | None
    account: Principal | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Member:
    principal: Principal
    display_name: str
    created_at: datetime
    gate: GateLevel = GateLevel.OPEN
    """Of its account memory."""


@dataclass(frozen=True, slots=True)
class Membership:
    principal: Principal
    role: TeamRole


@dataclass(frozen=True, slots=True)
class Team:
    principal: Principal
    display_name: str
    gate: GateLevel
    share_with_subagents: bool
    members: tuple[Membership, ...]
    created_at: datetime


_KINDS = frozenset(str(k) for k in Kind)


def name_fault(name: str) -> str | None:
    """Why ``name`` cannot be a name, or None. Names are compared by equality, nothing is folded."""
    if not name:
        return "a name may not be empty"
    if len(name) > NAME_LIMIT:
        return f"a name may have {NAME_LIMIT} characters at most"
    if name == EVERYONE:
        return "'*' is the built-in team of everyone"
    if name.startswith(_RESERVED_PREFIXES):
        return "a name may not begin with agent:, member: or team:"
    return control_fault(name)


def control_fault(name: str) -> str | None:
    """Why no header could carry ``name``, or None. Cc holds NUL, line breaks and the like, Cs halves of characters."""
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in name):
        return "a name may not hold control characters"
    return None


def parse_space(text: str) -> tuple[Kind, str] | None:
    """``agent:x`` → (agent, x); None where the text names no kind."""
    kind, colon, name = text.partition(":")
    if not colon or kind not in _KINDS or not name:
        return None
    return Kind(kind), name
