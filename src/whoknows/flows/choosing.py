"""Choose what a gift holds: what is listed by its id, and what the depth brings from what may be given anyway."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from whoknows.context.handover import Group
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.injection import Basis, Depth
from whoknows.domain.memory import Filters, Memory, State
from whoknows.domain.principal import AgentRole
from whoknows.errors import Forbidden
from whoknows.flows.read import seen
from whoknows.flows.recall import CANDIDATES, arms_of
from whoknows.policy.decision import Denied
from whoknows.policy.giving import may_give
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Tx
from whoknows.recall.background import Aimed
from whoknows.recall.pipeline import recall
from whoknows.recall.tokens import question_terms

MATCHES = 20
"""Memories that match the task, at most."""
PROJECT = 100
"""Memories of the project, newest first, at most."""
EVERYTHING = 1000
"""Memories of a full injection, at most."""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the target is to do, in words, and how much it should know for it."""

    task: str
    depth: Depth
    project_id: str | None


async def listed_by_id(
    tx: Tx, standing: Standing, wanted: Sequence[MemoryId], free: Collection[AudienceId], task: str | None
) -> list[tuple[Memory, Basis]]:
    """The memories that the giver names, each with the right by which it is given; NotFound and Forbidden before any is."""
    scope = scope_for(standing)
    identities = list(dict.fromkeys(wanted))
    passable = await tx.handover.passable(scope, identities) if identities else frozenset[MemoryId]()
    found: list[tuple[Memory, Basis]] = []
    for identity in identities:
        memory = await seen(tx, scope, identity)
        decision, basis = may_give(standing, memory, free, identity in passable, task)
        if isinstance(decision, Denied) or basis is None:
            raise Forbidden(decision.reason, reason_code=getattr(decision, "code", None), field="memory_ids")
        found.append((memory, basis))
    return found


async def chosen_by_depth(
    tx: Tx, standing: Standing, wish: Wish, free: frozenset[AudienceId], aimed: Aimed | None
) -> list[tuple[Memory, Group]]:
    """What matches, then the project, then the rest, each once: from ``free`` alone, so never the giver's private ones."""
    if standing.role is not AgentRole.MAIN or not free:
        return []
    scope = replace(scope_for(standing), audiences=free, reviews=frozenset[AudienceId]())
    chosen: dict[MemoryId, tuple[Memory, Group]] = {}
    for m in await _matching(tx, scope, wish.task, aimed):
        chosen.setdefault(m.id, (m, Group.TASK))
    if wish.depth is not Depth.MINIMAL and wish.project_id is not None:
        for m in await _newest(tx, scope, Filters(project_id=wish.project_id), PROJECT):
            chosen.setdefault(m.id, (m, Group.PROJECT))
    if wish.depth is Depth.FULL:
        for m in await _newest(tx, scope, Filters(), EVERYTHING):
            chosen.setdefault(m.id, (m, Group.REST))
    return list(chosen.values())[:EVERYTHING]


async def _matching(tx: Tx, scope: ReadScope, task: str, aimed: Aimed | None) -> Sequence[Memory]:
    found = await tx.arms.search(scope, question_terms(task), aimed.vector if aimed else None, Filters(), CANDIDATES)
    ranked = recall(arms_of(task, found, aimed), limit=MATCHES, floor=None)
    return await tx.memories.load(scope, [MemoryId(h.memory) for h in ranked.hits])


async def _newest(tx: Tx, scope: ReadScope, filters: Filters, most: int) -> Sequence[Memory]:
    found: list[Memory] = []
    cursor: str | None = None
    while len(found) < most:
        page = await tx.memories.page(scope, replace(filters, state=State.ACTIVE), min(200, most - len(found)), cursor)
        found += page.items
        cursor = page.next_cursor
        if cursor is None:
            break
    return found
