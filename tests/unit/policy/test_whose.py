"""Whose memories: every part of a scope is somebody's, and no part is ever more than the whole."""

import pytest
from cast import ALL, A, B, M, S, T, grant, standing

from whoknows.domain.audience import GrantKind, Layer
from whoknows.domain.trace import Space
from whoknows.policy.standing import Standing, scope_for, searched
from whoknows.policy.whose import Whose, narrowed_to, spaces_of

OWN, ACCOUNT, TEAM, EVERYONES, SHARED, GIVEN, FOREIGN = range(1, 8)


def reader() -> Standing:
    injected = grant(A, GrantKind.SELF, A, audience=GIVEN)
    grants = (
        grant(A, GrantKind.SELF, A, audience=OWN),
        grant(M, GrantKind.SELF, M, audience=ACCOUNT),
        grant(T, GrantKind.TEAM, T, audience=TEAM),
        grant(ALL, GrantKind.TEAM, ALL, audience=EVERYONES),
        grant(B, GrantKind.SELF, A, audience=SHARED),
        type(injected)(**{f: getattr(injected, f) for f in injected.__slots__} | {"layer": Layer.INJECTED}),
        grant(S, GrantKind.SELF, S, audience=FOREIGN),
    )
    return standing(A, account=M, T="reader", grants=grants)


PARTS = {
    Whose.MINE: {OWN},
    Whose.ACCOUNT: {ACCOUNT},
    Whose.TEAM: {TEAM, EVERYONES},
    Whose.GIVEN: {SHARED, GIVEN},
}


@pytest.mark.parametrize("whose", Whose)
def test_a_part_holds_what_is_of_that_owner_and_nothing_else(whose: Whose) -> None:
    of = reader()
    assert narrowed_to(of, scope_for(of), whose).audiences == PARTS[whose]


def test_the_parts_together_are_the_whole_and_nothing_twice() -> None:
    of = reader()
    parts = [narrowed_to(of, scope_for(of), w).audiences for w in Whose]
    assert frozenset().union(*parts) == scope_for(of).audiences
    assert sum(map(len, parts)) == len(scope_for(of).audiences)
    assert narrowed_to(of, scope_for(of), None) == scope_for(of)


def test_a_part_of_nothing_is_nothing() -> None:
    nobody = standing(B)
    assert all(not narrowed_to(nobody, scope_for(nobody), w).audiences for w in Whose)


def test_of_a_member_its_own_is_the_account_s() -> None:
    member = standing(M, grants=(grant(M, GrantKind.SELF, M, audience=ACCOUNT),))
    for whose in (Whose.MINE, Whose.ACCOUNT):
        assert narrowed_to(member, scope_for(member), whose).audiences == {ACCOUNT}
        assert spaces_of(member, searched(member, scope_for(member)), whose) == (Space("member:m", "own"),)


def test_the_spaces_that_are_told_are_those_of_the_part() -> None:
    of = reader()
    spaces = searched(of, scope_for(of))
    told = {w: {s.why for s in spaces_of(of, spaces, w)} for w in Whose}
    assert told == {
        Whose.MINE: {"own"},
        Whose.ACCOUNT: {"account"},
        Whose.TEAM: {"member", "everyone"},
        Whose.GIVEN: {"shared", "injected"},
    }
    assert spaces_of(of, spaces, None) == spaces
