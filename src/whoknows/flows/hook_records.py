"""Records for a program: memories as a block shows them, found within one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.harness import Placed
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory, State
from whoknows.flows.recall import CANDIDATES, arms_of
from whoknows.harness.block import FormerText, Record, SourceLine, is_whole_in_a_line
from whoknows.harness.session import Stands
from whoknows.policy.standing import ReadScope
from whoknows.ports import Found, Tx
from whoknows.recall.background import Aimed
from whoknows.recall.hits import Recalled
from whoknows.recall.pipeline import recall
from whoknows.recall.tokens import QuestionTerm

MOST_RECORDS = 8
"""Beside one prompt: more is read by nobody."""
_EACH = 4
"""Of one kind in a brief."""


@dataclass(frozen=True, slots=True)
class Search:
    """What a prompt is asked by."""

    about: str
    terms: Sequence[QuestionTerm]
    aimed: Aimed | None


@dataclass(frozen=True, slots=True)
class Matched:
    records: Sequence[Record]
    found: Found
    ranked: Recalled


async def matching(tx: Tx, scope: ReadScope, placed: Placed, search: Search, present: Mapping[MemoryId, Stands]) -> Matched:
    """What answers above the floor, of the project and of none, but for what stands in the session as it is today."""
    filters = Filters(project_id=placed.project_id, or_global=True)
    vector = None if search.aimed is None else search.aimed.vector
    found = await tx.arms.search(scope, search.terms, vector, filters, CANDIDATES)
    most = MOST_RECORDS + sum(i in present for i in found.cards)
    ranked = recall(arms_of(search.about, found, search.aimed), limit=most)
    scores = {MemoryId(h.memory): h.score for h in ranked.hits}
    loaded = await tx.memories.load(scope, list(scores)) if scores else ()
    records = [record_of(m, scores[m.id]) for m in loaded]
    return Matched([r for r in records if not _stands(r, present)][:MOST_RECORDS], found, ranked)


async def important(tx: Tx, scope: ReadScope, project: str, present: Mapping[MemoryId, Stands]) -> list[Record]:
    """What somebody who begins should know: rules and preferences, decisions, risks and blocks, the newest first."""
    found = await tx.hook_turns.important(scope, project, _EACH)
    records = [record_of(m) for m in await tx.memories.load(scope, found)] if found else []
    return [r for r in records if not _stands(r, present)]


async def those(tx: Tx, scope: ReadScope, placed: Placed, memories: Sequence[MemoryId]) -> list[Record]:
    """Those of ``memories`` that are current, in the given order."""
    loaded = await tx.memories.load(scope, memories) if memories else ()
    mine = (None, placed.project_id)
    return [record_of(m) for m in loaded if m.state is State.ACTIVE and m.project_id in mine]


def record_of(memory: Memory, score: float | None = None) -> Record:
    return Record(
        id=memory.id,
        text=_whole(memory.title, memory.content),
        kind=str(memory.category),
        author=memory.author.space,
        owner=memory.audience.owner.space,
        at=memory.updated_at,
        score=score,
        sources=[_source(e) for e in sorted(memory.evidence, key=lambda e: -e.level)],
        former=[FormerText(_whole(o.title, o.content), o.at, o.reason) for o in memory.overturned],
        stale=bool(memory.stale),
    )


def _stands(record: Record, present: Mapping[MemoryId, Stands]) -> bool:
    """All of it stands there, and it has not changed since."""
    there = present.get(MemoryId(record.id))
    return there is not None and record.at <= there.since and (there.whole or is_whole_in_a_line(record))


def _whole(title: str | None, content: str) -> str:
    return f"{title}\n{content}" if title else content


def _source(evidence: Evidence) -> SourceLine:
    kind = "" if evidence.source_kind is SourceKind.MANUAL else f"{evidence.source_kind} "
    at = "" if evidence.revision is None else f" @ {evidence.revision[:12]}"
    moved = evidence.gone_at is not None or evidence.moved_at is not None
    return SourceLine(f"{kind}{evidence.locator}{at}", evidence.quote, evidence.verified and not moved)
