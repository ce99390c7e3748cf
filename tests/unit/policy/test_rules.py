"""Who may write, change, share and edit (rules W1-W3, W7)."""

from dataclasses import replace

import pytest
from cast import NOW, A, B, M, N, S, T, memory, standing

from whoknows.domain.audience import Layer
from whoknows.domain.memory import Memory, Origin
from whoknows.domain.principal import AgentRole, Principal
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.rules import may_change, may_edit, may_overturn, may_share, may_write_private, may_write_team, reviews
from whoknows.policy.standing import Standing


def code(decision: Decision) -> str | None:
    """None where it is allowed; every decision says why."""
    assert decision.reason
    return decision.code if isinstance(decision, Denied) else None


@pytest.mark.parametrize(
    ("who", "owner", "refused"),
    [
        (standing(A), A, None),
        (standing(M), M, None),
        (standing(A, account=M), M, None),
        (standing(A, account=M), N, "not_your_account"),
        (standing(A, strict=True), A, None),
        (standing(A, strict=True, account=M), M, "need_to_know"),
        (standing(A), B, "not_your_account"),
        (standing(S, role=AgentRole.SUB, account=M), M, "not_your_account"),
    ],
)
def test_private_memory_is_written_by_its_owner_or_the_member_s_main_agents(
    who: Standing, owner: Principal, refused: str | None
) -> None:
    assert code(may_write_private(who, owner)) == refused


@pytest.mark.parametrize(
    ("who", "refused"),
    [
        (standing(A, T="writer"), None),
        (standing(A, T="owner"), None),
        (standing(A, T="reader"), "not_a_writer"),
        (standing(A), "not_a_writer"),
        (standing(A, strict=True, T="owner"), "need_to_know"),
    ],
)
def test_a_team_is_written_by_writers_and_owners(who: Standing, refused: str | None) -> None:
    assert code(may_write_team(who, T.id)) == refused


@pytest.mark.parametrize(
    ("who", "what", "refused"),
    [
        (standing(A), memory(A, A), None),
        (standing(B), memory(A, A, readers=(A, B)), "not_the_author"),
        (standing(A, T="writer"), memory(T, A), None),
        (standing(A, T="reader"), memory(T, A), None),
        (standing(A), memory(T, A), "not_the_author"),
        (standing(B, T="writer"), memory(T, A), "not_the_author"),
        (standing(B, T="writer"), memory(T, A, B), None),
        (standing(B), memory(T, A, B), "not_the_author"),
        (standing(B, T="owner"), memory(T, A), None),
        (standing(M), memory(M, A), None),
        (standing(A, account=M), memory(M, M), None),
        (standing(A), memory(M, A), "not_your_account"),
        (standing(B), memory(M, M, readers=(M, B)), "not_your_account"),
        (standing(A), memory(A, A, layer=Layer.INJECTED), "read_only"),
    ],
)
def test_memory_is_changed_by_whom_the_rules_say(who: Standing, what: Memory, refused: str | None) -> None:
    assert code(may_change(who, what)) == refused


@pytest.mark.parametrize(
    ("who", "what", "refused"),
    [
        (standing(A), memory(A, A), None),
        (standing(A, account=M), memory(M, A), None),
        (standing(B), memory(A, A), "not_the_author"),
        (standing(A, T="owner"), memory(T, A), "not_private"),
        (standing(A), memory(A, A, layer=Layer.INJECTED), "not_private"),
        (standing(A), replace(memory(A, A), origin=Origin("B", NOW)), "read_only"),
        (standing(A), replace(memory(A, A), injected_by=B), "read_only"),
    ],
)
def test_a_share_is_the_author_s_and_never_of_a_copy(who: Standing, what: Memory, refused: str | None) -> None:
    assert code(may_share(who, what)) == refused


def test_what_is_indexed_is_changed_and_shared_by_nobody_and_other_things_are() -> None:
    for who, what in ((standing(A, T="owner"), memory(T, A)), (standing(M), memory(M, M)), (standing(A), memory(A, A))):
        assert code(may_change(who, what)) is None
        assert code(may_change(who, replace(what, indexed=True))) == "read_only_index"
        assert code(may_overturn(who, replace(what, indexed=True))) == "read_only_index"
    assert code(may_share(standing(A), replace(memory(A, A), indexed=True))) == "read_only_index"


def test_an_observation_is_not_shared_but_what_it_rests_on() -> None:
    assert code(may_share(standing(A), replace(memory(A, A), stale=False))) == "observation_is_derived"


@pytest.mark.parametrize(
    ("who", "what", "refused"),
    [
        (standing(A, T="writer"), memory(T, A), None),
        (standing(A, T="writer"), memory(T, A, B), "several_authors"),
        (standing(B, T="writer"), memory(T, A, B), "several_authors"),
        (standing(B, T="owner"), memory(T, A, B), None),
        (standing(A, account=M), memory(M, M), None),
    ],
)
def test_words_of_several_are_not_changed_by_one_of_them(who: Standing, what: Memory, refused: str | None) -> None:
    assert code(may_edit(who, what)) == refused


@pytest.mark.parametrize(
    ("who", "what", "refused"),
    [
        (standing(A, T="writer"), memory(T, A), None),
        (standing(B, T="writer"), memory(T, A), "not_the_author"),
        (standing(B, T="writer"), memory(T, A, B), "several_authors"),
        (standing(B, T="owner"), memory(T, A, B), None),
    ],
)
def test_a_statement_is_overturned_by_whom_it_belongs_to_alone(who: Standing, what: Memory, refused: str | None) -> None:
    assert code(may_overturn(who, what)) == refused


@pytest.mark.parametrize(
    ("who", "what", "may"),
    [
        (standing(M, T="writer"), memory(T, A), True),
        (standing(M, T="owner"), memory(T, A), True),
        (standing(M, T="reader"), memory(T, A), False),
        (standing(M), memory(T, A), False),
        (standing(M, T="owner"), memory(T, M), False),
        (standing(M, T="owner"), memory(T, A, M), False),
        (standing(B, T="owner"), memory(T, A), False),
        (standing(M), memory(M, A), True),
        (standing(M), memory(M, M), True),
        (standing(N), memory(M, A), False),
        (standing(A, account=M), memory(M, M), False),
        (standing(M), memory(A, A), False),
    ],
)
def test_a_reviewer_is_a_member_who_writes_there_and_did_not_write_it_or_whose_account_it_is(
    who: Standing, what: Memory, may: bool
) -> None:
    assert reviews(who, what) is may


def test_a_decision_is_yes_or_no_with_a_reason() -> None:
    assert Allowed("author").reason == "author"
    assert Denied("no").code == "forbidden"
