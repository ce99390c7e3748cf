"""Examine: a draft that waits, with what a reviewer needs to decide: its sources, what it would overturn, and why it waits."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.audience import Layer
from whoknows.domain.credential import Caller
from whoknows.domain.evidence import SourceKind, level_of
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import GateLevel, Kind
from whoknows.domain.provenance import SourceState, Traced
from whoknows.errors import Conflict, Finding
from whoknows.flows.provenance import TraceMemory
from whoknows.flows.read import seen
from whoknows.gate.proof import NOT_FOUND, NOT_VERIFIABLE, UNREADABLE, unfit
from whoknows.policy.decision import Denied
from whoknows.policy.rules import may_overturn
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import Store, SubjectKey, Tx

AROUND = 12
"""Lines of a source on each side of a quote."""
_MOST_BESIDE = 10
_NEVER_READ = (SourceKind.URL, SourceKind.MANUAL)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of evidence as the reviewer finds it; ``finding`` says why it proves less than it claims, where it does."""

    traced: Traced
    finding: Finding | None


@dataclass(frozen=True, slots=True)
class Examined:
    """``overturns``: what gives way when it is let in. ``beside``: what others say on the same subject, and goes on saying.

    ``findings``: why it waits. ``may_decide``: whether the caller is a reviewer of it.
    """

    memory: Memory
    pieces: tuple[Piece, ...]
    overturns: Memory | None
    beside: tuple[Memory, ...]
    findings: tuple[Finding, ...]
    may_decide: bool


@dataclass(frozen=True, slots=True)
class Examine:
    store: Store
    trace: TraceMemory

    async def __call__(self, caller: Caller, memory: MemoryId) -> Examined:
        """NotFound where the caller does not see it, Conflict where it does not wait any more."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            draft = await seen(tx, scope, memory)
            if draft.state is not State.HELD:
                raise Conflict(f"this memory is {draft.state}: nothing of it waits")
            may_decide = await tx.gate.may_review(memory)
            old = None if draft.supersedes is None else await tx.memories.get(scope, draft.supersedes)
            beside = await _beside(tx, scope, draft)
            findings = await _why(tx, draft, old, beside)
        traced = await self.trace(caller, memory, AROUND)
        pieces = tuple(Piece(t, _fault(t)) for t in traced.evidence)
        return Examined(draft, pieces, old, beside, findings, may_decide)


async def _beside(tx: Tx, scope: ReadScope, draft: Memory) -> tuple[Memory, ...]:
    if draft.subject is None:
        return ()
    subject = SubjectKey(draft.audience.id, draft.subject, draft.project_id, draft.session_id)
    found = await tx.memories.current_on(scope, subject)
    return tuple(m for m in found if m.id not in (draft.id, draft.supersedes))[:_MOST_BESIDE]


async def _why(tx: Tx, draft: Memory, old: Memory | None, beside: Sequence[Memory]) -> tuple[Finding, ...]:
    found: list[Finding] = []
    owner = draft.audience.owner
    if owner.kind is not Kind.AGENT and await tx.gate.level(owner.id) is GateLevel.REVIEWED:
        found.append(Finding("review", "the gate there lets in what a reviewer has read"))
    if old is not None:
        author = await tx.directory.standing_of(draft.author.id)
        decision = None if author is None else may_overturn(author, old)
        if isinstance(decision, Denied):
            found.append(Finding("supersedes", decision.reason))
        if level_of(old.evidence) > level_of(draft.evidence):
            found.append(Finding("less_evidenced", "what it would overturn is better evidenced"))
    if draft.audience.layer is Layer.TEAM:
        found += (Finding("possible_conflict", f"{m.id} speaks of the same subject: both stand") for m in beside)
    return tuple(found)


def _fault(traced: Traced) -> Finding | None:
    piece = traced.evidence
    if piece.quote is None:
        return Finding("quote_missing", "a source is named, and no quote of it")
    if piece.source_kind in _NEVER_READ:
        return Finding(NOT_VERIFIABLE, "an address or a remark is kept and never read: the quote is not verified")
    match traced.state:
        case SourceState.STANDS:
            return (
                None if piece.verified else Finding("not_verified", "it stands there now; it was not found when it was written")
            )
        case SourceState.MOVED:
            return Finding("moved", "it stood there; the newest state of the source does not say it any more")
        case SourceState.GONE:
            return Finding("gone", "the source is not there any more")
        case SourceState.UNREAD:
            return (unfit(piece.quote) or NOT_FOUND) if traced.is_read else UNREADABLE
