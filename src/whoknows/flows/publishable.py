"""What publishing rests on at every step, the first time and again: the rule, the gate, and what its publisher is told."""

from dataclasses import dataclass

from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import GateLevel, Principal
from whoknows.domain.publication import Publication, PublicationState, origin_changed, shown_state
from whoknows.errors import Conflict, NotFound, RefusedByGate
from whoknows.flows.destination import team_of
from whoknows.flows.must import must
from whoknows.flows.read import seen
from whoknows.gate.judge import Held, Refused, Stored, judge_copy
from whoknows.policy.publishing import may_publish
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Tx


@dataclass(frozen=True, slots=True)
class Published:
    """A publication as its publisher is told it. ``memory`` is the copy, where the caller can read it.

    ``first``: this very call made it ready, or held.
    """

    publication: Publication
    state: PublicationState
    memory: Memory | None
    origin_changed: bool
    first: bool = False


async def allowed(tx: Tx, memory: MemoryId, team_id: str) -> tuple[ReadScope, Principal]:
    """See it, may I: the scope of the caller and the team, or the error that says why not."""
    standing = await tx.directory.standing()
    scope = scope_for(standing)
    original = await seen(tx, scope, memory)
    team = team_of(standing, team_id).team
    must_publish(standing, original, team)
    return scope, team


def must_publish(standing: Standing, original: Memory, team: Principal) -> None:
    must(may_publish(standing, original, team.id))
    if original.state is not State.ACTIVE:
        raise Conflict(f"this memory is {original.state}: only current ones are published")


async def verdict_of(tx: Tx, memory: MemoryId, team: Principal) -> tuple[GateLevel, bool]:
    """The gate of the destination, and whether it holds what comes (rules W5). Raises RefusedByGate."""
    gate = await tx.gate.level(team.id)
    match judge_copy(gate, await tx.gate.copied_level(memory, team.id)):
        case Stored():
            return gate, False
        case Held():
            return gate, True
        case Refused(findings):
            raise RefusedByGate(findings)


async def told(tx: Tx, publications: list[Publication], first: bool = False) -> list[Published]:
    """With their copies and what became of their originals, under today's standing."""
    # Read again: an audience that was made in this transaction belongs to the scope too.
    scope = scope_for(await tx.directory.standing())
    ids = {p.original for p in publications} | {p.memory for p in publications if p.memory is not None}
    found = {m.id: m for m in await tx.memories.load(scope, sorted(ids))} if ids else {}
    return [
        Published(
            publication=p,
            state=shown_state(p, copy := None if p.memory is None else found.get(p.memory)),
            memory=copy,
            origin_changed=origin_changed(p, found.get(p.original)),
            first=first,
        )
        for p in publications
    ]


async def own(tx: Tx, scope: ReadScope, publication: PublicationId) -> Publication:
    """One of the caller's own; another's and none are the same NotFound."""
    found = await tx.publications.get(scope, publication)
    if found is None:
        raise NotFound("there is no such publication")
    return found
