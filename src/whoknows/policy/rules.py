"""The rules of doing: who may write, change and share (rules §4, W1-W3)."""

from whoknows.domain.audience import Layer
from whoknows.domain.ids import PrincipalId
from whoknows.domain.memory import Memory
from whoknows.domain.principal import Clearance, Kind, Principal
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.standing import Standing

_BLIND = Denied("a need-to-know agent writes only what it may read afterwards: its own memory", "need_to_know")
"""What a write answers obeys the rules of reading (R2), and what such an agent wrote elsewhere could not be answered."""


_ELSEWHERE = Denied("it stands in a source: change it there, and synchronise", "read_only_index")


def may_write_private(standing: Standing, owner: Principal) -> Decision:
    """W1: an agent writes its own; account memory is written by the member, or a main agent that works for it."""
    if owner == standing.reader:
        return Allowed("one's own space")
    if standing.clearance is Clearance.NEED_TO_KNOW:
        return _BLIND
    if standing.speaks_for == owner:
        return Allowed("a main agent that works for the member")
    return Denied("private memory is written by its owner, account memory by the member or its main agents", "not_your_account")


def may_write_team(standing: Standing, team: PrincipalId) -> Decision:
    """W2: writing to a team needs the role of writer or owner there; for everyone, a grant."""
    if standing.clearance is Clearance.NEED_TO_KNOW:
        return _BLIND
    if standing.writes_team(team):
        return Allowed("writer or owner of the team")
    return Denied("writing to a team needs the role writer or owner there", "not_a_writer")


def may_change(standing: Standing, memory: Memory) -> Decision:
    """W3: who may edit, archive, restore and delete what they can see."""
    if memory.indexed:
        return _ELSEWHERE
    owner = memory.audience.owner
    match memory.audience.layer:
        case Layer.INJECTED:
            return Denied("an injected memory is read-only; its giver may withdraw it", "read_only")
        case Layer.TEAM:
            if _wrote(standing, memory) and standing.on_team(owner.id):
                return Allowed("author")
            if standing.owns_team(owner.id):
                return Allowed("owner of the team")
            return Denied("a team memory is changed by its author or an owner of the team", "not_the_author")
        case Layer.PRIVATE if owner.kind is Kind.MEMBER:
            if owner in (standing.reader, standing.speaks_for):
                return Allowed("account memory of the member")
            return Denied("account memory is changed by the member or its main agents", "not_your_account")
        case Layer.PRIVATE:
            if memory.author == standing.reader:
                return Allowed("author")
            return Denied("a private memory is changed by its author", "not_the_author")


def may_share(standing: Standing, memory: Memory) -> Decision:
    """A share of a private memory is given and taken back by its author only, and never of a copy."""
    if memory.audience.layer is not Layer.PRIVATE:
        return Denied("only a private memory can be shared; a team memory is seen by its team", "not_private")
    if memory.origin is not None or memory.injected_by is not None:
        return Denied("a copy cannot be shared", "read_only")
    if memory.indexed:
        return Denied("it stands in a source, and is read by those of the source", "read_only_index")
    if memory.author != standing.reader:
        return Denied("only the author may share a memory", "not_the_author")
    if memory.stale is not None:
        return Denied("an observation is read by those who read what it rests on: share those", "observation_is_derived")
    return Allowed("author")


def may_edit(standing: Standing, memory: Memory) -> Decision:
    """Words that several wrote are not edited, archived or overturned by one of them, or whoever repeats a statement could
    take it down: an owner of the team may, and each takes its own name away (W7)."""
    others = [a for a in memory.authors if a.author != standing.reader]
    if memory.audience.layer is Layer.TEAM and others and not standing.owns_team(memory.audience.owner.id):
        return Denied("others wrote the same words: supersede them, or ask an owner of the team", "several_authors")
    return Allowed("sole author, or owner")


def may_overturn(standing: Standing, memory: Memory) -> Decision:
    """W8: superseding needs the right to change (W3), and to change it alone."""
    decision = may_change(standing, memory)
    return decision if isinstance(decision, Denied) else may_edit(standing, memory)


def reviews(standing: Standing, memory: Memory) -> bool:
    """W5: a member with write rights there who did not write it; of account memory, the member."""
    owner = memory.audience.owner
    if standing.reader.kind is not Kind.MEMBER:
        return False
    if owner == standing.reader:
        return True
    return memory.audience.layer is Layer.TEAM and standing.writes_team(owner.id) and not _wrote(standing, memory)


def _wrote(standing: Standing, memory: Memory) -> bool:
    """One of the authors: each who wrote the same words is one, and may take its name away (W7)."""
    return standing.reader == memory.author or any(a.author == standing.reader for a in memory.authors)
