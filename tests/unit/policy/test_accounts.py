"""Accounts: whose a reader's prompts are, and what its contexts may draw from."""

from cast import ALL, A, B, M, N, S, T, grant, injected, standing

from whoknows.domain.audience import GrantKind
from whoknows.domain.principal import AgentRole
from whoknows.policy.accounts import account_for, account_scope, general_scope, project_scope, project_spaces
from whoknows.policy.standing import Standing, scope_for

SELF, TEAM = GrantKind.SELF, GrantKind.TEAM
OWN, SHARED, ACCOUNT, OTHERS, THE_TEAM, EVERYONES, SESSION, GIVEN = range(1, 9)
GRANTS = (
    grant(A, SELF, A, audience=OWN),
    grant(B, SELF, A, audience=SHARED),
    grant(M, SELF, M, audience=ACCOUNT),
    grant(N, SELF, N, audience=OTHERS),
    grant(T, TEAM, T, audience=THE_TEAM),
    grant(ALL, TEAM, ALL, audience=EVERYONES),
    grant(A, SELF, A, audience=SESSION, session="s"),
)
MAIN = standing(A, account=M, grants=GRANTS, T="writer")
ALONE = standing(A, grants=GRANTS, T="writer")
STRICT = standing(A, account=M, strict=True, grants=GRANTS, T="writer")
MEMBER = standing(M, grants=GRANTS)
SUB = standing(S, role=AgentRole.SUB, account=M, grants=GRANTS)


def test_an_account_is_the_members_own_or_that_of_its_main_agent() -> None:
    assert account_for(MEMBER) == account_for(MAIN) == M
    assert account_for(ALONE) is None
    assert account_for(SUB) is None
    assert account_for(STRICT) is None


def test_account_memory_is_that_of_the_account_alone() -> None:
    assert account_scope(MAIN).audiences == account_scope(MEMBER).audiences == {ACCOUNT}
    for without in (ALONE, SUB, STRICT):
        assert account_scope(without).audiences == frozenset()


def test_general_memories_are_the_accounts_or_ones_own_where_there_is_none() -> None:
    assert general_scope(MAIN).audiences == {ACCOUNT}
    assert general_scope(ALONE).audiences == general_scope(STRICT).audiences == {OWN}
    assert general_scope(SUB).audiences == frozenset()


def test_of_an_account_s_conversation_comes_only_what_all_who_read_it_may_read() -> None:
    assert project_scope(MAIN).audiences == project_scope(MEMBER).audiences == {ACCOUNT, EVERYONES}


def test_what_is_narrowed_to_one_of_them_or_bound_to_its_task_is_not_for_their_conversation() -> None:
    narrowed = grant(ALL, GrantKind.WHILE_ON_TEAM, A, audience=50), grant(ALL, GrantKind.TEAM_OWNERS, ALL, audience=51)
    in_task = grant(M, SELF, M, audience=52, task="t"), grant(ALL, TEAM, ALL, audience=53, task="t")
    for reader, account in ((A, M), (M, None)):
        named = grant(ALL, GrantKind.WHILE_ON_TEAM, reader, audience=54)
        one = standing(reader, account=account, task="t", grants=(*GRANTS, *narrowed, *in_task, named), everyone="owner")
        assert scope_for(one).audiences >= {51, 52, 53, 54}
        assert project_scope(one).audiences == {ACCOUNT, EVERYONES}
        assert general_scope(one).audiences == {ACCOUNT}


def test_a_projects_memories_are_never_private_ones_that_others_shared() -> None:
    assert project_scope(ALONE).audiences == {OWN, THE_TEAM, EVERYONES}
    assert project_scope(STRICT).audiences == {OWN}


def test_the_spaces_that_are_told_are_those_that_are_searched() -> None:
    assert [(s.space, s.why) for s in project_spaces(MAIN)] == [("member:m", "account"), ("*", "everyone")]
    assert [(s.space, s.why) for s in project_spaces(MEMBER)] == [("member:m", "own"), ("*", "everyone")]
    assert [(s.space, s.why) for s in project_spaces(ALONE)] == [("agent:A", "own"), ("team:T", "member"), ("*", "everyone")]
    assert [(s.space, s.why) for s in project_spaces(STRICT)] == [("agent:A", "own")]


def test_what_was_injected_for_the_reader_is_its_own() -> None:
    target = Standing(
        MAIN.tenant, S, AgentRole.SUB, MAIN.clearance, None, SUB.teams, None, (injected(S), grant(A, SELF, S, audience=9))
    )
    assert project_scope(target).audiences == general_scope(target).audiences == {1}


def test_a_member_reviews_its_account_memory_there_too() -> None:
    assert account_scope(MEMBER).reviews == {ACCOUNT}
    assert account_scope(MAIN).reviews == frozenset()
