"""Routing: which bank a fact goes to, by its context and project, with the reason. The caller never picks one (rules C11)."""

from dataclasses import dataclass

from whoknows.domain.bank import FactContext
from whoknows.domain.principal import EVERYONE, Clearance, Principal
from whoknows.policy.accounts import account_for
from whoknows.policy.standing import Standing, TeamStanding


@dataclass(frozen=True, slots=True)
class ToPersonal:
    """To account memory where there is a member behind the caller, else to its own space."""

    owner: Principal
    reason: str


@dataclass(frozen=True, slots=True)
class ToTeam:
    team: Principal
    reason: str


@dataclass(frozen=True, slots=True)
class NoBank:
    """There is none, or none that the caller may read: the two are told alike. ``field`` says what the reason is about."""

    reason: str
    field: str


@dataclass(frozen=True, slots=True)
class SeveralBanks:
    reason: str


@dataclass(frozen=True, slots=True)
class Contradiction:
    reason: str
    field: str


Route = ToPersonal | ToTeam | NoBank | SeveralBanks | Contradiction


def personal_bank(standing: Standing) -> Principal:
    """Whose the personal bank of the caller is."""
    return account_for(standing) or standing.reader


def reads_bank(standing: Standing, team: Principal | None) -> bool:
    """Whether the caller may read a team's bank, and so know that something is routed there."""
    return team is not None and standing.clearance is Clearance.OPEN and standing.on_team(team.id)


def team_banks(standing: Standing) -> tuple[TeamStanding, ...]:
    """Those that the caller reads, everyone's last."""
    readable = [t for t in standing.teams.values() if reads_bank(standing, t.team)]
    return tuple(sorted(readable, key=lambda t: (t.team.name == EVERYONE, t.team.name)))


def route(
    standing: Standing, context: FactContext, project: str | None, routed: Principal | None, team_id: str | None = None
) -> Route:
    """``routed``: the team that ``project`` is routed to, None for none. ``team_id`` only says what nothing else says.

    A project that is routed nowhere has no team bank, also where the caller is on one team only: it would be a guess, and
    another one as soon as the caller joins a second team.
    """
    if context is FactContext.PERSONAL:
        if team_id is not None:
            return Contradiction("a personal fact goes to no team: leave `team_id` out, or say context: team", "team_id")
        owner = personal_bank(standing)
        return ToPersonal(owner, "account memory" if owner != standing.reader else "one's own space")
    banks = team_banks(standing)
    named = None
    if team_id is not None:
        named = next((t.team for t in banks if t.team.name == team_id), None)
        if named is None:
            return NoBank(f"there is no team {team_id!r} that you are on", "team_id")
    if project is not None:
        return _by_project(standing, project, routed, named)
    if named is not None:
        return ToTeam(named, "the team that was named, since no project is")
    return _only_one(banks)


def _by_project(standing: Standing, project: str, routed: Principal | None, named: Principal | None) -> Route:
    if routed is None or not reads_bank(standing, routed):
        return NoBank(
            f"the project {project!r} is routed to no team that you are on: an administrator routes it "
            "(`whoknows banks route`, PUT /projects/{projectId}/bank); or say context: personal",
            "project_id",
        )
    if named not in (None, routed):
        return Contradiction("this project is routed to another bank: leave `team_id` out", "team_id")
    return ToTeam(routed, "the project is routed there")


def _only_one(banks: tuple[TeamStanding, ...]) -> Route:
    # Everyone's is never meant by saying nothing.
    candidates = [t.team for t in banks if t.role.writes and t.team.name != EVERYONE]
    if len(candidates) == 1:
        return ToTeam(candidates[0], "the only team that you write to")
    if candidates:
        names = ", ".join(repr(t.name) for t in candidates)
        return SeveralBanks(f"you write to several teams ({names}): name the project, or without one the team (`team_id`)")
    return NoBank("you write to no team: an administrator puts you on one as writer; or say context: personal", "context")
