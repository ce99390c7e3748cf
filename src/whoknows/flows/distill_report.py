"""The report of a distillation: what it kept, and why it skipped the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.distillation import BatchId, Became
from whoknows.domain.distilled import Skip
from whoknows.domain.ids import MemoryId
from whoknows.errors import Finding, NotFound, RefusedByGate
from whoknows.flows.account_memories import AccountMemory, told_memories
from whoknows.flows.finding_facts import FoundFacts
from whoknows.flows.hearing import Heard
from whoknows.flows.relating import Settled
from whoknows.gate.quotes import quote_hash
from whoknows.policy.accounts import account_scope
from whoknows.ports import Tx


@dataclass(frozen=True, slots=True)
class Kept:
    """A fact that there is a memory of now."""

    became: Became
    memory: AccountMemory
    quote: str
    message_id: str
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Skipped:
    """A message, or a fact of it, of which nothing new was kept. ``memory``: what says it already."""

    message_id: str
    why: str
    memory: MemoryId | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Distilled:
    """``batch`` is None where nothing was written: a dry run."""

    batch: BatchId | None
    by_model: bool
    kept: tuple[Kept, ...]
    skipped: tuple[Skipped, ...]


async def told_again(tx: Tx, batch: BatchId) -> Distilled:
    """What a batch kept, as far as it is there today, and what it skipped. NotFound where the account has no such batch."""
    made = await tx.distillations.get(batch)
    if made is None:
        raise NotFound("there is no such distillation")
    facts = await tx.distillations.facts(batch)
    found = await _memories(tx, [f.memory for f in facts])
    kept = [
        Kept(f.became, found[f.memory], _quote(found[f.memory], f.message_id, f.quote_hash), f.message_id)
        for f in facts
        if f.became is not Became.REPEAT and f.memory in found
    ]
    repeats = [Skipped(f.message_id, "repeat", f.memory) for f in facts if f.became is Became.REPEAT and f.memory in found]
    told = {s.message_id for s in repeats}
    others = [
        Skipped(m.message_id, m.skipped)
        for m in await tx.distillations.messages(batch)
        if m.skipped is not None and m.message_id not in told
    ]
    return Distilled(batch, made.by_model, tuple(kept), (*repeats, *others))


async def told(
    tx: Tx,
    batch: BatchId,
    heard: Sequence[Heard],
    before: frozenset[bytes],
    found: FoundFacts,
    settled: Sequence[Settled],
) -> Distilled:
    """Message by message, in order."""
    # As they are now: what one statement wrote, a later one may have overturned.
    stored = await _memories(tx, [s.memory for s in settled if s.memory is not None])
    judged = {j.message_id: j for j in found.judgements}
    kept: list[Kept] = []
    skipped: list[Skipped] = []
    for h in heard:
        if h.skipped is not None or h.words in before:
            skipped.append(Skipped(h.id, h.skipped or "repeat"))
            continue
        mine = [s for s in settled if s.statement.said.id == h.id]
        for s in mine:
            if s.memory is None or s.became is None:
                findings = s.fault.findings if isinstance(s.fault, RefusedByGate) else ()
                skipped.append(Skipped(h.id, "invalid" if s.fault is None else s.fault.code, None, findings))
            elif s.became is Became.REPEAT:
                skipped.append(Skipped(h.id, "repeat", s.memory))
            else:
                findings = () if s.outcome is None else s.outcome.findings
                kept.append(Kept(s.became, stored[s.memory], s.statement.fact.quote, h.id, findings))
        if not mine:
            judgement = judged.get(h.id)
            skip = None if judgement is None else judgement.skipped
            skipped.append(Skipped(h.id, str(skip or Skip.NOTHING_LASTING)))
    return Distilled(batch, found.by_model, tuple(kept), tuple(skipped))


async def _memories(tx: Tx, ids: Sequence[MemoryId]) -> dict[MemoryId, AccountMemory]:
    if not ids:
        return {}
    found = await tx.memories.load(account_scope(await tx.directory.standing()), ids)
    return {a.memory.id: a for a in await told_memories(tx, found)}


def _quote(a: AccountMemory, message: str, hashed: str) -> str:
    """The quote that this message gave; the memory's own words where it is not among its evidence any more."""
    those = [e.quote for e in a.memory.evidence if e.locator == message and e.quote is not None]
    return next((q for q in those if quote_hash(q) == hashed), a.memory.content)
