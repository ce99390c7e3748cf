"""Which bank a fact goes to, and why; what may not be known is told like what is not there."""

from cast import ALL, A, B, M, S, T, U, standing

from whoknows.domain.bank import FactContext
from whoknows.domain.principal import AgentRole
from whoknows.policy.routing import (
    Contradiction,
    NoBank,
    SeveralBanks,
    ToPersonal,
    ToTeam,
    reads_bank,
    route,
    team_banks,
)

PERSONAL, TEAM = FactContext.PERSONAL, FactContext.TEAM


def test_a_personal_fact_goes_to_the_account_behind_the_caller_else_to_its_own_space() -> None:
    for reader, owner in (
        (standing(A), A),
        (standing(M), M),
        (standing(A, account=M), M),
        (standing(S, role=AgentRole.SUB, account=M), S),
        (standing(A, account=M, strict=True), A),
    ):
        for project, routed in ((None, None), ("p", None), ("p", T)):
            to = route(reader, PERSONAL, project, routed)
            assert isinstance(to, ToPersonal)
            assert to.owner == owner


def test_a_personal_fact_names_no_team() -> None:
    to = route(standing(A, T="writer"), PERSONAL, None, None, "T")
    assert isinstance(to, Contradiction)
    assert to.field == "team_id"


def test_a_teams_fact_goes_where_its_project_is_routed_also_for_one_who_only_reads_there() -> None:
    for role in ("reader", "writer", "owner"):
        for team_id in (None, "T"):
            to = route(standing(A, T=role, U="writer"), TEAM, "p", T, team_id)
            assert isinstance(to, ToTeam)
            assert to.team == T


def test_a_project_that_goes_elsewhere_is_told_like_one_that_goes_nowhere() -> None:
    for reader in (standing(B), standing(B, U="owner"), standing(B, T="writer", strict=True)):
        hidden = route(reader, TEAM, "p", T)
        assert isinstance(hidden, NoBank)
        assert hidden == route(reader, TEAM, "p", None)
        assert "T" not in hidden.reason.replace("PUT", "")
    with_name = route(standing(B, U="owner"), TEAM, "p", T, "U")
    assert with_name == route(standing(B, U="owner"), TEAM, "p", None, "U")
    assert isinstance(with_name, NoBank)


def test_an_unrouted_project_has_no_team_bank_even_where_there_is_one_team_only() -> None:
    assert isinstance(route(standing(A, T="writer"), TEAM, "p", None), NoBank)


def test_the_caller_does_not_pick_another_bank_than_the_projects() -> None:
    to = route(standing(A, T="writer", U="writer"), TEAM, "p", T, "U")
    assert isinstance(to, Contradiction)
    assert to.field == "team_id"


def test_a_team_that_one_is_not_on_is_not_there() -> None:
    for project, routed in ((None, None), ("p", T)):
        to = route(standing(A, T="writer"), TEAM, project, routed, "U")
        assert isinstance(to, NoBank)
        assert to.field == "team_id"
    assert isinstance(route(standing(A, T="writer", strict=True), TEAM, None, None, "T"), NoBank)


def test_without_a_project_one_team_is_meant_several_are_asked_about_and_none_is_said() -> None:
    one = route(standing(A, T="writer", U="reader"), TEAM, None, None)
    assert isinstance(one, ToTeam)
    assert one.team == T
    several = route(standing(A, T="writer", U="owner"), TEAM, None, None)
    assert isinstance(several, SeveralBanks)
    assert "'T'" in several.reason
    assert "'U'" in several.reason
    assert isinstance(route(standing(A, U="reader"), TEAM, None, None), NoBank)
    named = route(standing(A, T="writer", U="owner"), TEAM, None, None, "U")
    assert isinstance(named, ToTeam)
    assert named.team == U


def test_everyones_is_meant_only_where_it_is_said() -> None:
    grantee = standing(A, everyone="writer")
    assert isinstance(route(grantee, TEAM, None, None), NoBank)
    for to in (route(grantee, TEAM, None, None, "*"), route(grantee, TEAM, "p", ALL)):
        assert isinstance(to, ToTeam)
        assert to.team == ALL


def test_the_banks_of_teams_are_those_that_one_reads() -> None:
    assert [t.team for t in team_banks(standing(A, U="reader", T="writer"))] == [T, U, ALL]
    assert team_banks(standing(A, T="writer", strict=True)) == ()
    assert not reads_bank(standing(A, T="writer"), None)
