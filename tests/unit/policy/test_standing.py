"""The scope of a standing: which ways in hold, and what is told about them."""

from dataclasses import replace

import pytest
from cast import ALL, A, B, M, N, S, T, U, grant, injected, standing

from whoknows.domain.audience import Grant, GrantKind
from whoknows.domain.principal import AgentRole
from whoknows.domain.trace import Space
from whoknows.policy.standing import Sessions, Standing, admits, own_and_everyones, reason, scope_for, searched

SELF, TEAM, WHILE, OWNERS = GrantKind.SELF, GrantKind.TEAM, GrantKind.WHILE_ON_TEAM, GrantKind.TEAM_OWNERS
SUB = AgentRole.SUB

ADMITTED = {
    "one's own": (standing(A), grant(A, SELF, A)),
    "shared by name": (standing(A), grant(B, SELF, A)),
    "the account of a main agent": (standing(A, account=M), grant(M, SELF, M)),
    "a team one is on": (standing(A, T="reader"), grant(T, TEAM, T)),
    "everyone's": (standing(A), grant(ALL, TEAM, ALL)),
    "named on a team one is on": (standing(A, T="reader"), grant(T, WHILE, A)),
    "a team one owns": (standing(A, T="owner"), grant(T, OWNERS, T)),
    "one's own, strict": (standing(A, strict=True), grant(A, SELF, A)),
    "injected, strict": (standing(A, strict=True), injected(A)),
    "bound to one's task": (standing(A, task="k"), grant(A, SELF, A, task="k")),
}
NOT_ADMITTED = {
    "another's own": (standing(A), grant(B, SELF, B)),
    "the account of a sub-agent": (standing(S, role=SUB, account=M), grant(M, SELF, M)),
    "another account": (standing(A, account=M), grant(N, SELF, N)),
    "a team one is not on": (standing(A, U="owner"), grant(T, TEAM, T)),
    "named on a team one left": (standing(A), grant(T, WHILE, A)),
    "another named on one's team": (standing(A, T="writer"), grant(T, WHILE, B)),
    "the member named on a team of both": (standing(A, account=M, T="writer"), grant(T, WHILE, M)),
    "owners, for a writer": (standing(A, T="writer"), grant(T, OWNERS, T)),
    "shared, strict": (standing(A, strict=True), grant(B, SELF, A)),
    "a team, strict": (standing(A, strict=True, T="owner"), grant(T, TEAM, T)),
    "everyone's, strict": (standing(A, strict=True), grant(ALL, TEAM, ALL)),
    "the account, strict": (standing(A, strict=True, account=M), grant(M, SELF, M)),
    "bound to another task": (standing(A, task="k"), grant(A, SELF, A, task="l")),
    "bound to a task, without one": (standing(A), grant(A, SELF, A, task="k")),
}


@pytest.mark.parametrize("name", ADMITTED)
def test_it_admits(name: str) -> None:
    who, way = ADMITTED[name]
    assert admits(who, way)


@pytest.mark.parametrize("name", NOT_ADMITTED)
def test_it_does_not_admit(name: str) -> None:
    who, way = NOT_ADMITTED[name]
    assert not admits(who, way)


def test_a_scope_holds_the_audiences_that_are_admitted() -> None:
    ways = (grant(A, SELF, A, audience=1), grant(B, SELF, B, audience=2), grant(T, TEAM, T, audience=3))
    assert scope_for(standing(A, grants=ways, T="reader")).ids == [1, 3]


def test_a_scope_without_grants_is_empty_and_never_everything() -> None:
    assert scope_for(standing(A)).audiences == frozenset()


@pytest.mark.parametrize(
    ("sessions", "seen"), [(Sessions.OWN, [1, 2]), (Sessions.NONE, [1]), ("s", [1, 2]), ("other", [1]), ("", [1])]
)
def test_a_session_opens_what_is_bound_to_it_and_nothing_else(sessions: Sessions | str, seen: list[int]) -> None:
    ways = (grant(A, SELF, A, audience=1), grant(A, SELF, A, audience=2, session="s"))
    assert scope_for(standing(A, grants=ways), sessions).ids == seen


def test_a_team_narrows_the_scope_to_its_audiences() -> None:
    ways = (
        grant(A, SELF, A, audience=1),
        grant(T, TEAM, T, audience=2),
        grant(T, WHILE, A, audience=3),
        grant(U, TEAM, U, audience=4),
    )
    assert scope_for(standing(A, grants=ways, T="reader", U="reader"), team=T.id).ids == [2, 3]


@pytest.mark.parametrize(
    ("who", "reviews"),
    [
        (standing(M, grants=(grant(T, TEAM, T),), T="writer"), {1}),
        (standing(M, grants=(grant(T, TEAM, T),), T="owner"), {1}),
        (standing(M, grants=(grant(T, TEAM, T),), T="reader"), set[int]()),
        (standing(A, grants=(grant(T, TEAM, T),), T="owner"), set[int]()),
        (standing(M, grants=(grant(M, SELF, M),)), {1}),
        (standing(A, account=M, grants=(grant(M, SELF, M),)), set[int]()),
    ],
)
def test_members_review_where_they_write(who: Standing, reviews: set[int]) -> None:
    assert set(scope_for(who).reviews) == reviews


@pytest.mark.parametrize(
    ("who", "way", "why"),
    [
        (standing(A), grant(A, SELF, A), "own"),
        (standing(A), injected(A), "injected"),
        (standing(A, account=M), grant(M, SELF, M), "account"),
        (standing(A), grant(B, SELF, A), "shared"),
        (standing(A), grant(ALL, TEAM, ALL), "everyone"),
        (standing(A, T="reader"), grant(T, TEAM, T), "member"),
        (standing(A, T="reader"), grant(T, WHILE, A), "named on the team"),
        (standing(A, T="owner"), grant(T, OWNERS, T), "owner of the team"),
    ],
)
def test_every_way_in_has_its_reason(who: Standing, way: Grant, why: str) -> None:
    assert reason(who, way) == why


def test_what_was_searched_names_each_space_once_own_first_everyone_last() -> None:
    ways = (grant(B, SELF, A, audience=1), grant(B, SELF, A, audience=2), grant(A, SELF, A, audience=3))
    who = standing(A, account=M, grants=ways, U="reader", T="owner")
    assert searched(who, scope_for(who)) == (
        Space("agent:A", "own"), Space("member:m", "account"), Space("team:T", "member"), Space("team:U", "member"),
        Space("*", "everyone"), Space("agent:B", "shared"),
    )  # fmt: skip


def test_a_strict_agent_searched_its_own_space_alone() -> None:
    who = standing(A, strict=True, account=M, T="owner", grants=(grant(B, SELF, A), injected(A)))
    assert searched(who, scope_for(who)) == (Space("agent:A", "own"), Space("agent:A", "injected"))


def test_what_is_not_in_scope_was_not_searched() -> None:
    who = standing(A, grants=(grant(B, SELF, A, session="s"),))
    assert Space("agent:B", "shared") not in searched(who, scope_for(who, "other"))


def test_what_was_taken_back_leaves_no_trace_among_what_was_searched() -> None:
    who = standing(A, grants=(replace(grant(B, SELF, A), inhabited=False),))
    assert Space("agent:B", "shared") not in searched(who, scope_for(who))


def test_within_a_team_only_that_team_was_searched() -> None:
    who = standing(A, T="reader")
    assert searched(who, scope_for(who, team=T.id), T.id) == (Space("team:T", "member"),)
    assert searched(who, scope_for(who, team=ALL.id), ALL.id) == (Space("*", "everyone"),)


def test_a_role_searches_its_own_space_and_everyones_and_nothing_that_was_shared() -> None:
    """The ways in that are left are the reader's own and the board's, also where it is on a team, or was let into another's."""
    who = standing(
        A,
        T="reader",
        grants=(
            grant(A, SELF, A, audience=1),
            grant(ALL, GrantKind.TEAM, ALL, audience=2),
            grant(T, GrantKind.TEAM, T, audience=3),
            grant(B, SELF, A, audience=4),
        ),
    )
    assert own_and_everyones(who) == {A.id, ALL.id}
    assert scope_for(who).audiences == {1, 2, 3, 4}
    scope = scope_for(who, owners=own_and_everyones(who))
    assert scope.audiences == {1, 2}
    assert Space("agent:B", "shared") not in searched(who, scope)


def test_what_a_member_bound_to_a_session_is_not_its_agents() -> None:
    way = grant(M, SELF, M, session="s")
    assert admits(standing(M), way)
    assert not admits(standing(A, account=M), way)


def test_standing_knows_teams_and_roles() -> None:
    who = standing(A, T="writer", U="owner")
    assert who.on_team(T.id)
    assert not who.on_team(None)
    assert who.writes_team(T.id)
    assert not who.owns_team(T.id)
    assert who.owns_team(U.id)
    assert not who.owns_team(None)
    assert not standing(A, T="reader").writes_team(T.id)
    assert not standing(A).writes_team(T.id)
