"""What hooks search: the personal bank below `team`, the one team of the project there, and nothing where a project is off."""

import pytest
from cast import ALL, A, B, M, S, T, U, grant, standing

from whoknows.domain.audience import GrantKind
from whoknows.domain.harness import Placed, Stage
from whoknows.domain.ids import AudienceId
from whoknows.domain.principal import AgentRole, Principal
from whoknows.policy.hooks import hook_scope, hook_spaces

GRANTS = (
    grant(A, GrantKind.SELF, A, audience=1),
    grant(M, GrantKind.SELF, M, audience=2),
    grant(T, GrantKind.TEAM, T, audience=3),
    grant(U, GrantKind.TEAM, U, audience=4),
    grant(ALL, GrantKind.TEAM, ALL, audience=5),
    grant(B, GrantKind.SELF, A, audience=6),  # what B shared with A
    grant(A, GrantKind.SELF, A, audience=7, session="s"),
    grant(A, GrantKind.SELF, A, audience=8, task="k"),
)
READER = standing(A, account=M, grants=GRANTS, T="reader", U="reader")


def at(stage: Stage, team: Principal | None = None) -> Placed:
    return Placed("boss", "/srv/boss", stage, team)


def spaces(placed: Placed) -> list[tuple[str, str]]:
    return [(s.space, s.why) for s in hook_spaces(READER, placed)]


def test_nothing_is_searched_where_a_project_is_off() -> None:
    assert hook_scope(READER, at(Stage.OFF, T)).audiences == frozenset()
    assert spaces(at(Stage.OFF, T)) == []


@pytest.mark.parametrize("stage", [Stage.READ_ONLY, Stage.GOVERNED])
def test_below_team_the_personal_bank_alone(stage: Stage) -> None:
    assert hook_scope(READER, at(stage, T)).audiences == {AudienceId(1), AudienceId(2)}
    assert spaces(at(stage, T)) == [("agent:A", "own"), ("member:m", "account")]


def test_at_team_the_one_team_of_the_project_too() -> None:
    assert hook_scope(READER, at(Stage.TEAM, T)).audiences == {AudienceId(1), AudienceId(2), AudienceId(3)}
    assert spaces(at(Stage.TEAM, T))[2:] == [("team:T", "member")]
    assert hook_scope(READER, at(Stage.TEAM, ALL)).audiences == {AudienceId(1), AudienceId(2), AudienceId(5)}
    assert spaces(at(Stage.TEAM, ALL))[2:] == [("*", "everyone")]
    assert hook_scope(READER, at(Stage.TEAM)).audiences == {AudienceId(1), AudienceId(2)}


def test_a_team_that_the_reader_is_not_on_is_not_searched() -> None:
    reader = standing(A, account=M, grants=GRANTS, U="reader")
    assert hook_scope(reader, at(Stage.TEAM, T)).audiences == {AudienceId(1), AudienceId(2)}


def test_a_strict_agent_has_its_own_alone() -> None:
    reader = standing(A, account=M, strict=True, grants=GRANTS, T="reader")
    assert hook_scope(reader, at(Stage.TEAM, T)).audiences == {AudienceId(1)}
    assert [s.space for s in hook_spaces(reader, at(Stage.TEAM, T))] == ["agent:A"]


def test_a_member_has_one_bank_and_a_sub_agent_none_of_its_member() -> None:
    member = standing(M, grants=(grant(M, GrantKind.SELF, M, audience=2),))
    assert [(s.space, s.why) for s in hook_spaces(member, at(Stage.GOVERNED))] == [("member:m", "own")]
    assert hook_scope(member, at(Stage.GOVERNED)).audiences == {AudienceId(2)}
    sub = standing(S, role=AgentRole.SUB, account=M, grants=(grant(M, GrantKind.SELF, M, audience=2),))
    assert [s.space for s in hook_spaces(sub, at(Stage.GOVERNED))] == ["agent:S"]
    assert hook_scope(sub, at(Stage.GOVERNED)).audiences == frozenset()
