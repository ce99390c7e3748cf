"""Who may inject, and what may be given to whom (rules I1, I2, I4)."""

from dataclasses import replace

import pytest
from cast import ALL, NOW, A, B, M, S, T, U, grant, injected, memory, standing

from whoknows.domain.audience import Audience, Grant, GrantKind, Layer
from whoknows.domain.ids import AudienceId
from whoknows.domain.injection import Basis
from whoknows.domain.memory import Memory, Origin, State
from whoknows.domain.principal import AgentRole
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.giving import giveable, may_give, may_inject
from whoknows.policy.standing import Standing

SELF, TEAM, WHILE, OWNERS = GrantKind.SELF, GrantKind.TEAM, GrantKind.WHILE_ON_TEAM, GrantKind.TEAM_OWNERS
SUB = AgentRole.SUB
ONE = AudienceId(1)
NONE = frozenset[AudienceId]()


def code(decision: Decision) -> str | None:
    """None where it is allowed; every decision says why."""
    assert decision.reason
    return decision.code if isinstance(decision, Denied) else None


@pytest.mark.parametrize(
    ("who", "passes_on", "descends", "refused"),
    [
        (standing(A), False, True, None),
        (standing(A), True, True, None),
        (standing(A), False, False, "not_a_descendant"),
        (standing(S, role=SUB), True, True, None),
        (standing(S, role=SUB), False, True, "not_a_main_agent"),
        (standing(S, role=SUB), False, False, "not_a_main_agent"),
        (standing(S, role=SUB), True, False, "not_a_descendant"),
        (standing(M), True, True, "not_a_main_agent"),
        (standing(M), False, False, "not_a_main_agent"),
    ],
)
def test_main_agents_inject_into_descendants_and_sub_agents_only_pass_on(
    who: Standing, passes_on: bool, descends: bool, refused: str | None
) -> None:
    assert code(may_inject(who, passes_on, descends)) == refused


def test_the_two_who_may_inject_are_told_apart() -> None:
    main, sub = may_inject(standing(A), False, True), may_inject(standing(S, role=SUB), True, True)
    assert isinstance(main, Allowed)
    assert isinstance(sub, Allowed)
    assert "main agent" in main.reason
    assert "passes on" in sub.reason


FREE: dict[str, tuple[Standing, Standing]] = {
    "of a team whose team the target is on": (
        standing(A, T="reader", grants=[grant(T, TEAM, T)]),
        standing(S, role=SUB, T="reader"),
    ),
    "of everyone": (standing(A, grants=[grant(ALL, TEAM, ALL)]), standing(S, role=SUB)),
    "shared with the target": (standing(A, grants=[grant(A, SELF, A)]), standing(S, role=SUB, grants=[grant(A, SELF, S)])),
    "narrowed to the target, on the team": (
        standing(A, T="writer", grants=[grant(T, WHILE, A)]),
        standing(S, role=SUB, T="reader", grants=[grant(T, WHILE, S)]),
    ),
    "narrowed to the target, seen as an owner": (
        standing(A, T="owner", grants=[grant(T, OWNERS, T)]),
        standing(S, role=SUB, T="reader", grants=[grant(T, WHILE, S)]),
    ),
    "of a team, for a target that needs to know": (
        standing(A, T="reader", grants=[grant(T, TEAM, T)]),
        standing(S, role=SUB, strict=True, T="reader"),
    ),
}
NOT_FREE: dict[str, tuple[Standing, Standing]] = {
    "the giver's own": (standing(A, grants=[grant(A, SELF, A)]), standing(S, role=SUB)),
    "shared with another": (
        standing(A, grants=[grant(A, SELF, A)]),
        standing(S, role=SUB, grants=[grant(A, SELF, S, audience=2)]),
    ),
    "of another, shared with both": (
        standing(A, grants=[grant(B, SELF, A)]),
        standing(S, role=SUB, grants=[grant(B, SELF, S)]),
    ),
    "of the member that the giver works for": (
        standing(A, account=M, grants=[grant(M, SELF, M)]),
        standing(S, role=SUB, grants=[grant(M, SELF, S)]),
    ),
    "of a team that the target is not on": (
        standing(A, T="writer", grants=[grant(T, TEAM, T)]),
        standing(S, role=SUB, U="reader"),
    ),
    "of a team that the giver is not on": (standing(A, grants=[grant(T, TEAM, T)]), standing(S, role=SUB, T="reader")),
    "narrowed to others": (standing(A, T="writer", grants=[grant(T, WHILE, A)]), standing(S, role=SUB, T="reader")),
    "narrowed to the target, which left": (
        standing(A, T="writer", grants=[grant(T, WHILE, A)]),
        standing(S, role=SUB, grants=[grant(T, WHILE, S)]),
    ),
    "narrowed, and the target is an owner of the team": (
        standing(A, T="writer", grants=[grant(T, WHILE, A)]),
        standing(S, role=SUB, T="owner", grants=[grant(T, OWNERS, T)]),
    ),
    "bound to a session": (
        standing(A, grants=[grant(A, SELF, A, session="s")]),
        standing(S, role=SUB, grants=[grant(A, SELF, S, session="s")]),
    ),
    "bound to another task": (
        standing(A, task="k#1", T="reader", grants=[grant(T, TEAM, T, task="k#1")]),
        standing(S, role=SUB, T="reader"),
    ),
    "injected": (standing(A, grants=[injected(A)]), standing(S, role=SUB)),
    "to a giver that needs to know": (
        standing(A, strict=True, T="reader", grants=[grant(T, TEAM, T)]),
        standing(S, role=SUB, T="reader"),
    ),
}


@pytest.mark.parametrize(("giver", "target"), FREE.values(), ids=FREE)
def test_given_without_listing_is_what_is_meant_for_the_target(giver: Standing, target: Standing) -> None:
    assert giveable(giver, target, (), None) == {ONE}


@pytest.mark.parametrize(("giver", "target"), NOT_FREE.values(), ids=NOT_FREE)
def test_given_without_listing_is_nothing_else(giver: Standing, target: Standing) -> None:
    assert giveable(giver, target, (), None) == NONE


def test_a_team_that_shares_with_sub_agents_gives_to_those_who_are_not_on_it_but_nothing_narrowed() -> None:
    whole, narrowed = grant(T, TEAM, T), grant(T, WHILE, A, audience=2)
    giver = standing(A, T="writer", grants=[whole, narrowed])
    assert giveable(giver, standing(S, role=SUB), {T.id}, None) == {ONE}
    assert giveable(giver, standing(S, role=SUB), {U.id}, None) == NONE


def test_what_is_bound_to_a_task_is_given_for_that_task() -> None:
    giver = standing(A, task="k#1", T="reader", grants=[grant(T, TEAM, T, task="k#1")])
    target = standing(S, role=SUB, T="reader")
    assert giveable(giver, target, (), "k#1") == {ONE}
    assert giveable(giver, target, (), "k#2") == NONE


def given(
    giver: Standing, what: Memory, *, free: bool = False, passable: bool = False, task: str | None = None
) -> Basis | str | None:
    """By what right, or the code of the refusal."""
    decision, basis = may_give(giver, what, {ONE} if free else NONE, passable, task)
    assert (basis is None) == isinstance(decision, Denied)
    return basis or code(decision)


def bound(what: Memory, *, task: str | None = None, session: str | None = None) -> Memory:
    a = what.audience
    return replace(what, audience=Audience(a.id, a.layer, a.owner, a.readers, task, session))


@pytest.mark.parametrize(
    ("giver", "what", "free", "passable", "basis"),
    [
        (standing(A), memory(A, A), False, False, Basis.LISTED),
        (standing(A), memory(A, A, readers=(S,)), True, False, Basis.SHARED),
        (standing(A), memory(T, B), True, False, Basis.TEAM),
        (standing(A), memory(A, B, layer=Layer.INJECTED), False, True, Basis.PASSED_ON),
        (standing(S, role=SUB), memory(S, A, layer=Layer.INJECTED), False, True, Basis.PASSED_ON),
        (standing(A), memory(A, B, layer=Layer.INJECTED), False, False, "not_yours_to_give"),
        (standing(S, role=SUB), memory(S, S), False, False, "not_a_main_agent"),
        (standing(S, role=SUB), memory(T, S), True, False, "not_a_main_agent"),
        (standing(A), memory(T, A), False, False, "not_yours_to_give"),
        (standing(A), memory(B, B, readers=(A,)), False, False, "not_yours_to_give"),
        (standing(A, account=M), memory(M, A), False, False, "not_yours_to_give"),
        (standing(A), memory(A, B), False, False, "not_yours_to_give"),
        (standing(A), replace(memory(A, A), origin=Origin("A", NOW)), False, False, "not_yours_to_give"),
        *[(standing(A), memory(A, A, state=s), True, True, "not_yours_to_give") for s in State if s is not State.ACTIVE],
    ],
)
def test_what_is_listed_is_given_by_its_right_or_refused(
    giver: Standing, what: Memory, free: bool, passable: bool, basis: Basis | str
) -> None:
    assert given(giver, what, free=free, passable=passable) == basis


def test_what_is_bound_to_a_session_is_given_to_nobody() -> None:
    assert given(standing(A), bound(memory(A, A), session="s")) == "not_yours_to_give"


def test_what_is_bound_to_a_task_is_listed_for_that_task_alone() -> None:
    note = bound(memory(A, A), task="k#1")
    assert given(standing(A, task="k#1"), note, task="k#1") is Basis.LISTED
    assert given(standing(A, task="k#1"), note, task="k#2") == "not_yours_to_give"
    assert given(standing(A, task="k#1"), note) == "not_yours_to_give"


def test_grants_of_others_that_the_target_stands_beside_open_nothing() -> None:
    """A grant that names somebody else is no share with the target."""
    other: Grant = grant(A, SELF, B)
    assert giveable(standing(A, grants=[grant(A, SELF, A)]), standing(S, role=SUB, grants=[other]), (), None) == NONE
