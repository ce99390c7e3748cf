"""The verdicts of the gate, one by one, and in which order they are considered."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from whoknows.domain.audience import Audience, Layer
from whoknows.domain.evidence import Evidence, EvidenceLevel, SourceKind
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId, new_memory_id
from whoknows.domain.memory import Category, Isolation, Memory, State
from whoknows.domain.principal import GateLevel, Kind, Principal
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Finding, Invalid, QuoteNotFound
from whoknows.gate.facts import Facts
from whoknows.gate.judge import Held, Merged, Refused, Stored, Superseding, judge, judge_copy, judge_edit
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


LEVELS = {GateLevel.SOURCED: EvidenceLevel.SOURCED, GateLevel.VERIFIED: EvidenceLevel.VERIFIED}


@pytest.mark.parametrize("gate", LEVELS)
@pytest.mark.parametrize("level", EvidenceLevel)
def test_a_gate_lets_in_what_is_evidenced_well_enough(gate: GateLevel, level: EvidenceLevel) -> None:
    verdict = judge(Facts(gate, level, duplicate=None))
    if level >= LEVELS[gate]:
        assert verdict == Stored()
    else:
        assert isinstance(verdict, Refused)
        assert gate in verdict.findings[0].message


def test_a_refusal_says_what_is_lacking_and_what_was_not_found() -> None:
    lacking = {
        EvidenceLevel.NONE: "source_missing",
        EvidenceLevel.SOURCED: "quote_missing",
        EvidenceLevel.QUOTED: "not_verified",
    }
    for level, check in lacking.items():
        verdict = judge(Facts(GateLevel.VERIFIED, level, proof=(Finding("quote_not_found", "not there"),)))
        assert isinstance(verdict, Refused)
        assert [f.check for f in verdict.findings] == [check, "quote_not_found"]


def test_the_same_words_do_not_pass_a_gate_without_their_source_either() -> None:
    assert isinstance(judge(Facts(GateLevel.SOURCED, duplicate=new_memory_id())), Refused)


def test_a_reviewed_place_holds_what_comes_but_not_what_its_reviewer_writes_or_what_is_known_there() -> None:
    verdict = judge(Facts(GateLevel.REVIEWED, EvidenceLevel.VERIFIED))
    assert isinstance(verdict, Held)
    assert [f.check for f in verdict.findings] == ["review"]
    assert judge(Facts(GateLevel.REVIEWED, reviews_itself=True)) == Stored()
    known = new_memory_id()
    assert judge(Facts(GateLevel.REVIEWED, duplicate=known)) == Merged(known)
    assert isinstance(judge(Facts(GateLevel.REVIEWED, EvidenceLevel.QUOTED, duplicate=known)), Held)


def test_what_must_be_verified_is_refused_behind_an_open_gate_too() -> None:
    with pytest.raises(QuoteNotFound) as raised:
        judge(Facts(OPEN, EvidenceLevel.QUOTED, must_verify=True))
    assert [f.check for f in raised.value.findings] == ["not_verified"]
    with pytest.raises(QuoteNotFound, match="elsewhere"):
        judge(Facts(OPEN, must_verify=True, proof=(Finding("quote_not_found", "elsewhere"),)))
    assert judge(Facts(OPEN, EvidenceLevel.VERIFIED, must_verify=True)) == Stored()


def test_a_new_statement_of_the_same_author_on_the_subject_overturns_all_current_ones() -> None:
    newest, older = memory(), memory()
    assert judge(Facts(OPEN, own=(newest, older))) == Superseding(newest.id, also=(older.id,))
    there = new_memory_id()
    assert judge(Facts(OPEN, duplicate=there, own=(newest,))) == Superseding(newest.id, there)
    assert judge(Facts(OPEN, duplicate=newest.id, own=(newest,))) == Merged(newest.id)
    named = memory()
    assert judge(Facts(OPEN, overturns=named, may_overturn=MAY, own=(newest,))) == Superseding(named.id, also=(newest.id,))


def test_a_better_evidenced_statement_is_not_overturned_by_itself() -> None:
    sourced = replace(memory(), evidence=(Evidence(SourceKind.MANUAL, "a book", quote="so it is"),))
    verdict = judge(Facts(OPEN, EvidenceLevel.SOURCED, own=(sourced,)))
    assert isinstance(verdict, Held)
    assert [f.check for f in verdict.findings] == ["less_evidenced"]
    assert verdict.instead_of == sourced.id
    assert judge(Facts(OPEN, EvidenceLevel.QUOTED, own=(sourced,))) == Superseding(sourced.id)
    assert judge(Facts(OPEN, overturns=sourced, may_overturn=MAY)) == Superseding(sourced.id)


def test_statements_of_others_stand_beside_it_with_a_finding() -> None:
    other, shared = memory(), memory()
    verdict = judge(Facts(OPEN, others=(other,), shared=(shared,)))
    assert isinstance(verdict, Stored)
    assert [f.check for f in verdict.findings] == ["possible_conflict"] * 2
    assert str(other.id) in verdict.findings[1].message
    assert judge(Facts(OPEN, others=(other,), duplicate=other.id)) == Merged(other.id)


def test_a_quotation_never_overturns_a_claim() -> None:
    claim = memory()
    verdict = judge(Facts(OPEN, own=(claim,), is_quotation=True))
    assert isinstance(verdict, Stored)
    assert [f.check for f in verdict.findings] == ["quotation"]
    assert judge(Facts(OPEN, is_quotation=True)) == Stored()


def test_a_near_duplicate_is_only_a_finding() -> None:
    verdict = judge(Facts(OPEN, near=(near := new_memory_id())))
    assert isinstance(verdict, Stored)
    assert [(f.check, str(near) in f.message) for f in verdict.findings] == [("near_duplicate", True)]


@pytest.mark.parametrize("level", EvidenceLevel)
def test_a_copy_passes_the_gate_by_the_evidence_that_goes_with_it(level: EvidenceLevel) -> None:
    assert judge_copy(OPEN, level) == Stored()
    assert isinstance(judge_copy(GateLevel.REVIEWED, level), Held)
    for gate, least in LEVELS.items():
        assert isinstance(judge_copy(gate, level), Stored if level >= least else Refused)


def test_other_words_pass_a_gate_by_a_reviewer_only() -> None:
    for gate in (g for g in GateLevel if g is not OPEN):
        assert isinstance(judge_edit(gate, State.ACTIVE, False), Refused)
        assert judge_edit(gate, State.ACTIVE, True) == Stored()
        assert judge_edit(gate, State.HELD, False) == Stored()
    assert judge_edit(OPEN, State.ACTIVE, False) == Stored()
