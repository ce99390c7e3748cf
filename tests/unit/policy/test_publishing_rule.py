"""Who may publish what, and where (rules P1, P2)."""

from dataclasses import replace

import pytest
from cast import NOW, A, B, M, S, T, U, memory, standing

from whoknows.domain.audience import Layer
from whoknows.domain.memory import Memory, Origin
from whoknows.domain.principal import AgentRole
from whoknows.policy.decision import Denied
from whoknows.policy.publishing import may_publish
from whoknows.policy.standing import Standing


def bound(what: Memory, session: str | None = None, task: str | None = None) -> Memory:
    return replace(what, audience=replace(what.audience, session=session, task=task))


@pytest.mark.parametrize(
    ("who", "what", "refused"),
    [
        (standing(A, T="writer"), memory(A, A), None),
        (standing(A, T="owner"), memory(A, A, readers=(A, B)), None),
        (standing(S, role=AgentRole.SUB, T="writer"), memory(S, S), None),
        (standing(A, account=M, T="writer"), memory(M, A), None),
        (standing(M, T="writer"), memory(M, M), None),
        (standing(M, T="writer"), memory(M, A), "not_the_author"),
        (standing(B, T="writer"), memory(A, A, readers=(A, B)), "not_the_author"),
        (standing(A, T="writer"), memory(U, A), "not_private"),
        (standing(A, T="writer"), memory(A, A, layer=Layer.INJECTED), "read_only"),
        (standing(A, T="writer"), replace(memory(A, A), injected_by=B), "read_only"),
        (standing(A, T="writer"), replace(memory(A, A), origin=Origin("A", NOW)), "read_only"),
        (standing(A, T="writer"), bound(memory(A, A), session="s"), "bound_to_session"),
        (standing(A, T="writer"), bound(memory(A, A), task="t"), "bound_to_task"),
        (standing(A, T="reader"), memory(A, A), "not_a_writer"),
        (standing(A), memory(A, A), "not_a_writer"),
        (standing(A, strict=True, T="owner"), memory(A, A), "need_to_know"),
    ],
)
def test_an_author_publishes_its_own_private_memory_where_it_writes(who: Standing, what: Memory, refused: str | None) -> None:
    decision = may_publish(who, what, T.id)
    assert decision.reason
    assert (decision.code if isinstance(decision, Denied) else None) == refused
