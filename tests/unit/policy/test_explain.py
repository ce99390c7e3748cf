"""Explanations: the rule and the reason, for every yes and every no."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from cast import ALL, NOW, A, B, M, S, T, grant, injected, memory, standing

from whoknows.domain.audience import Grant, GrantKind, Layer
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import AgentRole
from whoknows.policy.explain import explain
from whoknows.policy.standing import Standing

SELF, TEAM, WHILE, OWNERS = GrantKind.SELF, GrantKind.TEAM, GrantKind.WHILE_ON_TEAM, GrantKind.TEAM_OWNERS
OF_TEAM = (grant(T, TEAM, T),)
PAST, LATER = NOW - timedelta(seconds=1), NOW + timedelta(seconds=1)

VISIBLE = [
    (standing(A), memory(A, A), (grant(A, SELF, A),), "R1 self", "belongs to the reader"),
    (standing(A), memory(A, A, layer=Layer.INJECTED), (injected(A),), "R1 self", "injected for the reader"),
    (standing(A, account=M), memory(M, M), (grant(M, SELF, M),), "R1 self", "works for member:m"),
    (standing(B), memory(A, A), (grant(A, SELF, A), grant(A, SELF, B)), "R1 self", "shared it"),
    (standing(B), memory(ALL, A), (grant(ALL, TEAM, ALL),), "R1 team", "everyone"),
    (standing(B, T="reader"), memory(T, A), OF_TEAM, "R1 team", "on team:T"),
    (standing(B, T="reader"), memory(T, A), (grant(T, WHILE, B),), "R1 while_on_team", "named in it"),
    (standing(B, T="owner"), memory(T, A), (grant(T, OWNERS, T),), "R1 team_owners", "owns team:T"),
    (standing(A, T="writer"), memory(T, A, state=State.HELD), OF_TEAM, "R1 team", "on team:T"),
    (standing(M, T="writer"), memory(T, A, state=State.HELD), OF_TEAM, "R1 team", "on team:T"),
    (standing(M), memory(M, A, state=State.HELD), (grant(M, SELF, M),), "R1 self", "belongs to the reader"),
    (standing(A), memory(A, A, expires_at=LATER), (grant(A, SELF, A),), "R1 self", "belongs to the reader"),
    (standing(A, task="k"), memory(A, A, task="k"), (grant(A, SELF, A, task="k"),), "R1 self", "belongs to the reader"),
]
HIDDEN = [
    (standing(B), memory(A, A), (grant(A, SELF, A),), "R1 audience", "not in the audience"),
    (standing(B, strict=True, T="reader"), memory(T, A), OF_TEAM, "R1 need_to_know", "only what it owns"),
    (standing(A), memory(A, A, expires_at=PAST), (grant(A, SELF, A),), "R1 expired", "expired"),
    (standing(A), memory(A, A, expires_at=NOW), (grant(A, SELF, A),), "R1 expired", "expired"),
    (standing(A), memory(A, A, task="k"), (grant(A, SELF, A, task="k"),), "R1 task", "task"),
    (standing(B, T="owner"), memory(T, A, state=State.HELD), OF_TEAM, "R1 held", "held"),
    (standing(M, T="reader"), memory(T, A, state=State.HELD), OF_TEAM, "R1 held", "held"),
    (standing(A, account=M), memory(M, B, state=State.HELD), (grant(M, SELF, M),), "R1 held", "held"),
    (standing(S, role=AgentRole.SUB, account=M), memory(M, M), (grant(M, SELF, M),), "R1 audience", "not in the audience"),
]


@pytest.mark.parametrize(("who", "what", "ways", "rule", "why"), VISIBLE)
def test_a_yes_names_its_rule_and_reason(who: Standing, what: Memory, ways: Sequence[Grant], rule: str, why: str) -> None:
    verdict = explain(who, what, ways, NOW)
    assert (verdict.visible, verdict.rule) == (True, rule)
    assert why in verdict.reason
    assert verdict.facts[-1].startswith("reader is ")


@pytest.mark.parametrize(("who", "what", "ways", "rule", "why"), HIDDEN)
def test_a_no_names_its_rule_and_reason(who: Standing, what: Memory, ways: Sequence[Grant], rule: str, why: str) -> None:
    verdict = explain(who, what, ways, NOW)
    assert (verdict.visible, verdict.rule) == (False, rule)
    assert why in verdict.reason


def test_the_facts_tell_layer_owner_ways_in_and_task() -> None:
    verdict = explain(standing(A), memory(T, A, task="k#1"), (grant(T, WHILE, A), grant(T, OWNERS, T)), NOW)
    assert verdict.reader == "agent:A"
    assert verdict.facts == (
        "layer team, owner team:T", "open to those it names, while they are on team:T",
        "open to the owners of team:T", "bound to the task k",
    )  # fmt: skip
