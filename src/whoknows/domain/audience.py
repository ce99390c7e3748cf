"""Audiences: the closed set of those who may read a memory, stored once per distinct value."""

from dataclasses import dataclass
from enum import StrEnum

from whoknows.domain.ids import AudienceId, PrincipalId
from whoknows.domain.principal import Principal


class Layer(StrEnum):
    PRIVATE = "private"
    TEAM = "team"
    INJECTED = "injected"


class GrantKind(StrEnum):
    """How a principal belongs to an audience."""

    SELF = "self"
    """an agent or a member, always"""
    TEAM = "team"
    """whoever is on the team now"""
    WHILE_ON_TEAM = "while_on_team"
    """an agent or a member, as long as it is on the team"""
    TEAM_OWNERS = "team_owners"
    """whoever owns the team now"""


@dataclass(frozen=True, slots=True)
class AudienceKey:
    """What makes an audience itself. Two memories with equal keys share one audience row.

    ``readers`` are the agents and members that are named: for a private audience its owner and those
    it is shared with, for a narrowed team audience those it is narrowed to; empty for a whole team.
    """

    layer: Layer
    owner: PrincipalId
    readers: frozenset[PrincipalId]
    task: str | None = None
    session: str | None = None


@dataclass(frozen=True, slots=True)
class Audience:
    """An interned audience with its principals resolved."""

    id: AudienceId
    layer: Layer
    owner: Principal
    readers: tuple[Principal, ...]
    task: str | None
    session: str | None

    @property
    def key(self) -> AudienceKey:
        return AudienceKey(self.layer, self.owner.id, frozenset(r.id for r in self.readers), self.task, self.session)


@dataclass(frozen=True, slots=True)
class Grant:
    """One way in: an audience that may be the reader's, and the condition on which it is.

    ``team`` is the team of the condition for WHILE_ON_TEAM and TEAM_OWNERS. ``inhabited``: whether what somebody else gave
    is there to be seen; of one's own spaces and teams that is not asked.
    """

    audience: AudienceId
    layer: Layer
    owner: Principal
    kind: GrantKind
    to: PrincipalId
    team: PrincipalId | None
    task: str | None
    session: str | None
    inhabited: bool = True
