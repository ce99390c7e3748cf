"""The judgement: what becomes of a draft. Edges match the verdicts exhaustively."""

from dataclasses import dataclass

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import State
from whoknows.domain.principal import GateLevel
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Finding, Invalid
from whoknows.gate.facts import Facts
from whoknows.policy.decision import Denied


@dataclass(frozen=True, slots=True)
class Stored:
    """It goes in as it is."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The same words are there already: the author and its evidence are added to that row."""

    into: MemoryId


@dataclass(frozen=True, slots=True)
class Superseding:
    """It goes in, and ``old`` gives way. ``by`` is an equal memory that exists already and takes the place."""

    old: MemoryId
    by: MemoryId | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """It waits for somebody who may decide."""

    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    """It does not go in."""

    findings: tuple[Finding, ...]


GateVerdict = Stored | Merged | Superseding | Held | Refused


def judge(facts: Facts) -> GateVerdict:
    """The verdict on a draft that its author may write there. Raises for a supersession that cannot be.

    All gates are ``open`` for now; the stricter levels refuse, so that none of them is ever open by mistake.
    """
    if facts.gate is not GateLevel.OPEN:
        return Refused((Finding("gate", f"the gate {facts.gate} is not available yet"),))
    if facts.overturns is None:
        return Stored() if facts.duplicate is None else Merged(facts.duplicate)
    if not facts.same_audience:
        raise AudienceDiffers(field="supersedes")
    if facts.duplicate == facts.overturns.id:
        raise Invalid("a memory cannot supersede itself: these are the words it has already", field="supersedes")
    if facts.overturns.state is not State.ACTIVE:
        raise AlreadySuperseded(f"that memory is {facts.overturns.state}: supersede the current one", field="supersedes")
    if isinstance(facts.may_overturn, Denied):
        return Held((Finding("supersedes", f"held for an owner: {facts.may_overturn.reason}"),))
    return Superseding(facts.overturns.id, facts.duplicate)
