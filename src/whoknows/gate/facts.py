"""What the gate is told about a draft: gathered within the author's own scope, never beyond it."""

from dataclasses import dataclass

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory
from whoknows.domain.principal import GateLevel
from whoknows.policy.decision import Decision


@dataclass(frozen=True, slots=True)
class Facts:
    """``duplicate``: an active memory of the same words, audience, project, session and expiry, if there is one.
    ``overturns``: the memory that the draft wants to supersede, and ``may_overturn``: whether its author may (W3).
    """

    gate: GateLevel
    duplicate: MemoryId | None = None
    overturns: Memory | None = None
    may_overturn: Decision | None = None
    same_audience: bool = True
