"""The verdicts of the gate, one by one, and in which order they are considered."""

from datetime import UTC, datetime

import pytest

from whoknows.domain.audience import Audience, Layer
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId, new_memory_id
from whoknows.domain.memory import Category, Isolation, Memory, State
from whoknows.domain.principal import GateLevel, Kind, Principal
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Invalid
from whoknows.gate.facts import Facts
from whoknows.gate.judge import Held, Merged, Refused, Stored, Superseding, judge
from whoknows.policy.decision import Allowed, Denied

OPEN = GateLevel.OPEN
MAY, MAY_NOT = Allowed("author"), Denied("only its author may")


def memory(state: State = State.ACTIVE, identity: MemoryId | None = None) -> Memory:
    a, now = Principal(PrincipalId(1), Kind.AGENT, "A"), datetime(2026, 1, 1, tzinfo=UTC)
    return Memory(
        id=identity or new_memory_id(),
        audience=Audience(AudienceId(1), Layer.PRIVATE, a, (a,), None, None),
        content="old", title=None, category=Category.FACT, subject=None, tags=(), author=a, state=state,
        isolation=Isolation.AGENT, project_id=None, session_id=None, task_id=None, version=1, content_hash="",
        created_at=now, updated_at=now,
    )  # fmt: skip


def test_what_is_new_is_stored() -> None:
    assert judge(Facts(OPEN)) == Stored()


def test_the_same_words_are_merged() -> None:
    there = new_memory_id()
    assert judge(Facts(OPEN, duplicate=there)) == Merged(there)


def test_what_overturns_and_may_supersedes() -> None:
    old = memory()
    assert judge(Facts(OPEN, overturns=old, may_overturn=MAY)) == Superseding(old.id)


def test_what_overturns_in_words_that_are_there_lets_these_take_the_place() -> None:
    old, there = memory(), new_memory_id()
    assert judge(Facts(OPEN, duplicate=there, overturns=old, may_overturn=MAY)) == Superseding(old.id, there)


def test_what_overturns_and_may_not_is_held() -> None:
    verdict = judge(Facts(OPEN, overturns=memory(), may_overturn=MAY_NOT))
    assert isinstance(verdict, Held)
    assert [f.check for f in verdict.findings] == ["supersedes"]
    assert MAY_NOT.reason in verdict.findings[0].message


def test_nothing_supersedes_across_audiences() -> None:
    with pytest.raises(AudienceDiffers):
        judge(Facts(OPEN, overturns=memory(), may_overturn=MAY, same_audience=False))


def test_nothing_supersedes_itself() -> None:
    old = memory()
    with pytest.raises(Invalid, match="itself"):
        judge(Facts(OPEN, duplicate=old.id, overturns=old, may_overturn=MAY))


@pytest.mark.parametrize("state", [s for s in State if s is not State.ACTIVE])
def test_only_what_is_current_is_superseded(state: State) -> None:
    with pytest.raises(AlreadySuperseded, match=state):
        judge(Facts(OPEN, overturns=memory(state), may_overturn=MAY))


@pytest.mark.parametrize("gate", [g for g in GateLevel if g is not OPEN])
def test_a_stricter_gate_refuses_rather_than_being_open_by_mistake(gate: GateLevel) -> None:
    verdict = judge(Facts(gate, duplicate=new_memory_id(), overturns=memory(), may_overturn=MAY))
    assert isinstance(verdict, Refused)
    assert gate in verdict.findings[0].message
