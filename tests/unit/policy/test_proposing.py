"""Who turns an experience into a rule: a person, and only in a repository that is its own to write to."""

from whoknows.domain.ids import PrincipalId, TenantId
from whoknows.domain.principal import AgentRole, Clearance, Kind, Principal, TeamRole
from whoknows.policy.decision import Allowed, Denied
from whoknows.policy.proposing import may_confirm, may_decide, may_reject
from whoknows.policy.standing import Standing, TeamStanding

TEAM = Principal(PrincipalId(9), Kind.TEAM, "T")
MEMBER = Principal(PrincipalId(1), Kind.MEMBER, "m")
OTHER = Principal(PrincipalId(2), Kind.MEMBER, "n")


def standing(kind: Kind = Kind.MEMBER, role: TeamRole | None = None) -> Standing:
    teams = {} if role is None else {TEAM.id: TeamStanding(TEAM, role)}
    reader = MEMBER if kind is Kind.MEMBER else Principal(PrincipalId(1), kind, "A")
    return Standing(TenantId(1), reader, AgentRole.MAIN if kind is Kind.AGENT else None, Clearance.OPEN, None, teams, None, ())


def test_an_agent_decides_nothing_not_even_with_a_key_that_administers() -> None:
    for decision in (
        may_decide(standing(Kind.AGENT)),
        may_confirm(standing(Kind.AGENT), TEAM, True),
        may_reject(standing(Kind.AGENT), True),
    ):
        assert isinstance(decision, Denied)
        assert decision.code == "not_a_member"


def test_a_member_confirms_where_the_repository_is_its_own_its_teams_or_under_its_administration() -> None:
    assert isinstance(may_confirm(standing(), MEMBER, False), Allowed)
    assert isinstance(may_confirm(standing(role=TeamRole.OWNER), TEAM, False), Allowed)
    assert isinstance(may_confirm(standing(), OTHER, True), Allowed)
    for refused in (may_confirm(standing(), OTHER, False), may_confirm(standing(role=TeamRole.WRITER), TEAM, False)):
        assert isinstance(refused, Denied)
        assert refused.code == "may_not_source"


def test_a_member_turns_down_where_it_may_write_to_all() -> None:
    assert isinstance(may_reject(standing(), True), Allowed)
    refused = may_reject(standing(), False)
    assert isinstance(refused, Denied)
    assert refused.code == "not_a_writer"
