"""Deriving: which statements belong together, what an observation of them says, and what becomes of one whose sources change.

The same for a request and for the background work: each brings what it may see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.evidence import Evidence, level_of
from whoknows.domain.ids import MemoryId
from whoknows.domain.observation import Gathered, Made, Statement
from whoknows.domain.principal import Principal
from whoknows.errors import RefusedByGate
from whoknows.gate.citing import cited, evidence_of
from whoknows.gate.cluster import MOST, belongs, cluster, largest, medoid
from whoknows.gate.facts import Facts
from whoknows.gate.judge import Held, Refused, judge
from whoknows.ports.observations import Deriving, Put, Resting, Stating

LEAST = 2
"""Statements that an observation rests on."""
AROUND = 2 * MOST
"""Neighbours that are looked at for one statement."""


@dataclass(frozen=True, slots=True)
class Grows:
    """``statement`` belongs to an observation that is there."""

    observation: MemoryId
    statement: Statement


async def look(deriving: Deriving, seed: MemoryId, least: int) -> tuple[Statement, ...] | Grows | None:
    """What ``seed`` belongs to: a cluster of at least so many that nothing states yet, an observation, or nothing."""
    around = await deriving.around(seed, AROUND)
    if not around or around[0].id != seed:
        return None
    first, *others = around
    near = [o for o in others if belongs(first, o)]
    stated = await deriving.resting_on([first.id, *(o.id for o in near)])
    if first.id in stated:
        return None
    for o in near:
        if o.id in stated:
            return Grows(stated[o.id], first)
    members = cluster(first, near)
    return members if len(members) >= least else None


def extractive(sources: Sequence[Statement], stated: Statement | None = None) -> Stating:
    """The words of the one that is nearest to all, and a quote of each. ``held`` is for the gate to say."""
    words = stated or medoid(sources)
    return Stating(
        sources=sources,
        stated=words.id,
        words=None,
        evidence=[cited(s, words.content) for s in sources],
        made=Made.EXTRACTIVE,
        held=False,
    )


async def through_gate(deriving: Deriving, stating: Stating, reader: Principal | None = None) -> Stating:
    """``stating`` as the gate of its destination lets it in. Raises RefusedByGate.

    ``reader``: who asks for it; what waits for its own review does not wait.
    """
    owner, gate = await deriving.gate(stating.sources[0].audience)
    match judge(Facts(gate=gate, level=level_of(stating.evidence), reviews_itself=owner == reader)):
        case Refused(findings):
            raise RefusedByGate(findings)
        case Held():
            return replace(stating, held=True)
        case _:
            return replace(stating, held=False)


async def grow(deriving: Deriving, grows: Grows, reader: Principal | None = None) -> Put:
    """One more source for an observation that says the same, whose words stay."""
    resting = await deriving.resting(grows.observation)
    if resting is None or len(resting.sources) >= MOST or not all(belongs(grows.statement, s) for s in resting.sources):
        return Put.TAKEN
    sources = [*resting.sources, grows.statement]
    stated = next((s for s in resting.sources if s.id == resting.stated), None)
    if resting.made is Made.EXTRACTIVE:
        stating = extractive(sources, stated)
    else:
        standing = _standing(resting, sources)
        if standing is None:
            return Put.TAKEN
        more = cited(grows.statement, resting.content)
        stating = Stating(sources, None, None, [*standing, more], resting.made, held=False)
    return await deriving.put_again(resting, await through_gate(deriving, stating, reader))


def left_of(resting: Resting) -> tuple[Statement, ...]:
    """Of its sources those on which it may still rest; of what says the same as each other no longer, the most."""
    return largest(resting.sources) if resting.gathered is Gathered.NEAR else tuple(resting.sources)


async def restate(deriving: Deriving, resting: Resting, reader: Principal | None = None) -> Put:
    """An observation computed anew from its sources as they are: its own words where all its quotes still stand."""
    sources = left_of(resting)
    if len(sources) < LEAST:
        return await deriving.retire(resting)
    standing = None if resting.made is Made.EXTRACTIVE else _standing(resting, sources)
    stating = extractive(sources) if standing is None else Stating(sources, None, None, standing, resting.made, held=False)
    return await deriving.put_again(resting, await through_gate(deriving, stating, reader))


def _standing(resting: Resting, sources: Sequence[Statement]) -> list[Evidence] | None:
    """Everything that it quoted, found again; None where something does not stand there any more."""
    by_id = {s.id: s for s in sources}
    found = [evidence_of(by_id[m], quote) for m, quote in resting.evidence if m in by_id]
    complete = len(found) == len(resting.evidence) > 0 and all(e.verified for e in found)
    return found if complete else None
