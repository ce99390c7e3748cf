"""The judgement: what becomes of a draft. Edges match the verdicts exhaustively."""

from dataclasses import dataclass

from whoknows.domain.evidence import EvidenceLevel, level_of
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import GateLevel
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Finding, Invalid, QuoteNotFound
from whoknows.gate.facts import Facts
from whoknows.gate.proof import NOT_VERIFIABLE
from whoknows.policy.decision import Denied


@dataclass(frozen=True, slots=True)
class Stored:
    """It goes in as it is."""

    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Merged:
    """The same words are there already: the author and its evidence are added to that row."""

    into: MemoryId
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Superseding:
    """It goes in, and ``old`` gives way, and ``also``. ``by`` is an equal memory that exists already and takes the place."""

    old: MemoryId
    by: MemoryId | None = None
    also: tuple[MemoryId, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """It waits for somebody who may decide; admitted, it takes the place of ``instead_of``."""

    findings: tuple[Finding, ...]
    instead_of: MemoryId | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """It does not go in."""

    findings: tuple[Finding, ...]


GateVerdict = Stored | Merged | Superseding | Held | Refused

_NEEDS = {GateLevel.SOURCED: EvidenceLevel.SOURCED, GateLevel.VERIFIED: EvidenceLevel.VERIFIED}


def judge(facts: Facts) -> GateVerdict:
    """The verdict on a draft that its author may write there. Raises for a supersession that cannot be."""
    _must_be_possible(facts)
    if facts.must_verify and facts.level < EvidenceLevel.VERIFIED:
        raise QuoteNotFound(facts.proof or (_lacking(facts.gate, facts.level),))
    needed = _NEEDS.get(facts.gate, EvidenceLevel.NONE)
    if facts.level < needed:
        return Refused((_lacking(facts.gate, facts.level), *facts.proof))
    findings = (*(f for f in facts.proof if f.check != NOT_VERIFIABLE), *_noticed(facts))
    old = _gives_way(facts)
    waits = _waiting(facts, old)
    if waits:
        return Held((*waits, *findings), None if old is None else old.id)
    if old is not None:
        also = tuple(m.id for m in facts.own if m.id not in (old.id, facts.duplicate))
        return Superseding(old.id, facts.duplicate, also, findings)
    return Stored(findings) if facts.duplicate is None else Merged(facts.duplicate, findings)


def judge_copy(gate: GateLevel, level: EvidenceLevel) -> Stored | Held | Refused:
    """The verdict on a copy that is published; ``level`` is that of the evidence that goes with it."""
    needed = _NEEDS.get(gate, EvidenceLevel.NONE)
    if level < needed:
        return Refused((_lacking(gate, level),))
    return Held((_REVIEW,)) if gate is GateLevel.REVIEWED else Stored()


def judge_edit(gate: GateLevel, state: State, is_reviewer: bool) -> Refused | Stored:
    """The verdict on other words for a memory: behind a gate its evidence is of the words that it has."""
    if gate is GateLevel.OPEN or state is State.HELD or is_reviewer:
        return Stored()
    return Refused((Finding("edit", f"the gate there is {gate}: supersede it with a new statement and its evidence"),))


_REVIEW = Finding("review", "waits for a member with write rights there who did not write it")


def _must_be_possible(facts: Facts) -> None:
    if facts.overturns is None:
        return
    if not facts.same_audience:
        raise AudienceDiffers(field="supersedes")
    if facts.duplicate == facts.overturns.id:
        raise Invalid("a memory cannot supersede itself: these are the words it has already", field="supersedes")
    if facts.overturns.state is not State.ACTIVE:
        raise AlreadySuperseded(f"that memory is {facts.overturns.state}: supersede the current one", field="supersedes")


def _gives_way(facts: Facts) -> Memory | None:
    """What the draft replaces: what it names, or else the newest statement of its author on the same subject (W8)."""
    if facts.overturns is not None:
        return facts.overturns
    if facts.is_quotation:
        return None
    return next((m for m in facts.own if m.id != facts.duplicate), None)


def _waiting(facts: Facts, old: Memory | None) -> tuple[Finding, ...]:
    waits: list[Finding] = []
    if isinstance(facts.may_overturn, Denied):
        waits.append(Finding("supersedes", f"held for an owner: {facts.may_overturn.reason}"))
    if facts.gate is GateLevel.REVIEWED and not facts.reviews_itself and (facts.duplicate is None or facts.level):
        waits.append(_REVIEW)
    if facts.overturns is None and old is not None and level_of(old.evidence) > facts.level:
        better = f"your current statement about {old.subject!r} ({old.id}) is better evidenced"
        waits.append(Finding("less_evidenced", f"held: {better}; name a source for this one, or supersede that one by its id"))
    return tuple(waits)


def _noticed(facts: Facts) -> tuple[Finding, ...]:
    noticed: list[Finding] = []
    for memory in (*facts.shared, *facts.others):
        if memory.id != facts.duplicate:
            where = "with others" if memory in facts.shared else "by somebody else"
            noticed.append(Finding("possible_conflict", f"{memory.id}, {where}, speaks of the same subject: both stand"))
    if facts.is_quotation and any(m.id != facts.duplicate for m in facts.own):
        noticed.append(Finding("quotation", "a quotation of a claim is not the claim: your current statement stands"))
    if facts.near is not None and facts.duplicate is None:
        noticed.append(Finding("near_duplicate", f"{facts.near} says almost the same"))
    return tuple(noticed)


def _lacking(gate: GateLevel, level: EvidenceLevel) -> Finding:
    if level is EvidenceLevel.NONE:
        return Finding("source_missing", f"the gate here is {gate}: name the `source` of this, and the `quote` that says so")
    if level is EvidenceLevel.SOURCED:
        return Finding("quote_missing", f"the gate here is {gate}: add the `quote` of the source that says so")
    return Finding("not_verified", f"the gate here is {gate}: only a quote that was found in its source passes")
