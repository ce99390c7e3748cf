"""Standing: what one reader is at this moment, and the scope of audiences that follows from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from whoknows.domain.audience import Grant, GrantKind, Layer
from whoknows.domain.ids import AudienceId, PrincipalId, TenantId
from whoknows.domain.principal import EVERYONE, AgentRole, Clearance, Kind, Principal, TeamRole
from whoknows.domain.trace import Space


@dataclass(frozen=True, slots=True)
class TeamStanding:
    team: Principal
    role: TeamRole


class Sessions(Enum):
    """Which session-bound memories a read admits, where it is not one named session."""

    NONE = "none"
    OWN = "own"


@dataclass(frozen=True, slots=True)
class Standing:
    """One reader, read from the tables once per transaction (rules §3).

    ``teams`` holds the live memberships by team id, the built-in team of everyone included.
    ``grants`` are the ways in that name the reader, its account or one of its teams; whether
    their conditions hold is decided by ``scope_for``.
    """

    tenant: TenantId
    reader: Principal
    role: AgentRole | None
    clearance: Clearance
    account: Principal | None
    teams: Mapping[PrincipalId, TeamStanding]
    task: str | None
    grants: tuple[Grant, ...]

    @property
    def speaks_for(self) -> Principal | None:
        """The member whose account memory a main agent shares; nothing for a sub-agent."""
        return self.account if self.role is AgentRole.MAIN else None

    def on_team(self, team: PrincipalId | None) -> bool:
        return team in self.teams

    def owns_team(self, team: PrincipalId | None) -> bool:
        return team is not None and team in self.teams and self.teams[team].role is TeamRole.OWNER

    def writes_team(self, team: PrincipalId) -> bool:
        return team in self.teams and self.teams[team].role.writes


@dataclass(frozen=True, slots=True)
class ReadScope:
    """The closed set of audiences that one reader belongs to. Empty means nothing, never everything.

    ``reviews`` are the team audiences whose held memories the reader may review.
    """

    tenant: TenantId
    reader: PrincipalId
    audiences: frozenset[AudienceId]
    reviews: frozenset[AudienceId]

    @property
    def ids(self) -> list[int]:
        return sorted(self.audiences)


def scope_for(
    standing: Standing,
    sessions: Sessions | str = Sessions.OWN,
    team: PrincipalId | None = None,
    owners: frozenset[PrincipalId] | None = None,
) -> ReadScope:
    """The audiences of ``standing``; ``sessions`` is one session's id for recall.

    ``team`` narrows to that team's audiences, ``owners`` to those of several owners.
    """
    admitted = [
        g
        for g in standing.grants
        if admits(standing, g)
        and _in_session(g, sessions)
        and (team is None or g.owner.id == team)
        and (owners is None or g.owner.id in owners)
    ]
    is_member = standing.reader.kind is Kind.MEMBER
    return ReadScope(
        tenant=standing.tenant,
        reader=standing.reader.id,
        audiences=frozenset(g.audience for g in admitted),
        reviews=frozenset(
            g.audience
            for g in admitted
            if is_member and ((g.layer is Layer.TEAM and standing.writes_team(g.owner.id)) or g.owner == standing.reader)
        ),
    )


def own_and_everyones(standing: Standing) -> frozenset[PrincipalId]:
    """The owners of what a role of the Bureau searches: itself, and the board, which is everyone's."""
    return frozenset({standing.reader.id, *(t for t, on in standing.teams.items() if on.team.name == EVERYONE)})


def admits(standing: Standing, grant: Grant) -> bool:
    """Whether the condition of ``grant`` holds for ``standing`` (rules R1, without session, expiry and state)."""
    if grant.task is not None and grant.task != standing.task:
        return False
    if grant.session is not None and grant.owner != standing.reader:  # one author's alone, also where it is a member's
        return False
    if standing.clearance is Clearance.NEED_TO_KNOW and grant.owner != standing.reader:
        return False
    match grant.kind:
        case GrantKind.SELF:
            return _is_self(standing, grant.to)
        case GrantKind.TEAM:
            return standing.on_team(grant.to)
        case GrantKind.WHILE_ON_TEAM:  # named itself: an agent has none of its member's teams, and nothing by them
            return grant.to == standing.reader.id and standing.on_team(grant.team)
        case GrantKind.TEAM_OWNERS:
            return standing.owns_team(grant.team)


def reason(standing: Standing, grant: Grant) -> str:
    """Why an admitted grant admits, in the words of the interface."""
    match grant.kind:
        case GrantKind.SELF if grant.owner == standing.reader:
            return "injected" if grant.layer is Layer.INJECTED else "own"
        case GrantKind.SELF if grant.to != standing.reader.id:
            return "account"
        case GrantKind.SELF:
            return "shared"
        case GrantKind.TEAM:
            return "everyone" if grant.owner.name == EVERYONE else "member"
        case GrantKind.WHILE_ON_TEAM:
            return "named on the team"
        case GrantKind.TEAM_OWNERS:
            return "owner of the team"


def searched(standing: Standing, scope: ReadScope, team: PrincipalId | None = None) -> tuple[Space, ...]:
    """The spaces that a search within ``scope`` covers, own first; each space once per reason. ``team``: only that one.

    Own space, account, teams and everyone are listed whether or not something is stored there,
    so that the list does not tell how much is stored.
    """
    if team is not None:
        narrowed = standing.teams[team].team
        return (Space(narrowed.space, "everyone" if narrowed.name == EVERYONE else "member"),)
    spaces: dict[Space, None] = {Space(standing.reader.space, "own"): None}
    if standing.clearance is Clearance.OPEN:
        if standing.speaks_for is not None:
            spaces[Space(standing.speaks_for.space, "account")] = None
        ordered = sorted(standing.teams.values(), key=lambda t: (t.team.name == EVERYONE, t.team.name))
        for t in ordered:
            spaces[Space(t.team.space, "everyone" if t.team.name == EVERYONE else "member")] = None
    for grant in standing.grants:
        if grant.inhabited and grant.audience in scope.audiences and admits(standing, grant):
            why = reason(standing, grant)
            if why in ("shared", "injected"):
                spaces[Space(grant.owner.space, why)] = None
    return tuple(spaces)


def _is_self(standing: Standing, principal: PrincipalId) -> bool:
    account = standing.speaks_for
    return principal == standing.reader.id or (account is not None and principal == account.id)


def _in_session(grant: Grant, sessions: Sessions | str) -> bool:
    if grant.session is None or sessions is Sessions.OWN:
        return True
    return grant.session == sessions
