"""What the gate is told about a draft: gathered within the author's own scope, never beyond it."""

from dataclasses import dataclass

from whoknows.domain.evidence import EvidenceLevel
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory
from whoknows.domain.principal import GateLevel
from whoknows.errors import Finding
from whoknows.policy.decision import Decision


@dataclass(frozen=True, slots=True)
class Facts:
    """``level`` is how well the draft is evidenced, ``proof`` what was not found of its evidence, and why. ``must_verify``: its
    quote must be found, whatever the gate. ``reviews_itself``: who writes is who would review it.

    ``duplicate``: an active memory of the same words, audience, project, session and expiry, if there is one.
    ``overturns``: the memory that the draft wants to supersede, and ``may_overturn``: whether its author may (W3).
    ``own``: current statements of the same subject and the same author, or account, alone; ``shared``: those that others
    wrote too; ``others``: those of others. ``near``: a memory that says almost the same.
    """

    gate: GateLevel
    level: EvidenceLevel = EvidenceLevel.NONE
    proof: tuple[Finding, ...] = ()
    must_verify: bool = False
    reviews_itself: bool = False
    duplicate: MemoryId | None = None
    overturns: Memory | None = None
    may_overturn: Decision | None = None
    same_audience: bool = True
    own: tuple[Memory, ...] = ()
    shared: tuple[Memory, ...] = ()
    others: tuple[Memory, ...] = ()
    is_quotation: bool = False
    near: MemoryId | None = None
