"""Verify: the quotes of some drafts are looked for in their sources, word for word (rules §8)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from whoknows.context.injected import own_words
from whoknows.domain.audience import AudienceKey, Layer
from whoknows.domain.conversation import MessageId
from whoknows.domain.credential import Caller
from whoknows.domain.evidence import Evidence, SourceKind, parse_source
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.locator import id_of
from whoknows.domain.memory import Draft
from whoknows.errors import Finding
from whoknows.flows.outside import Outside, ReadBefore, unread
from whoknows.gate.proof import CIRCULAR, NO_SOURCE, NOT_VERIFIABLE, OUT_OF_REACH, Proof, looked_for
from whoknows.gate.quotes import quote_hash
from whoknows.policy.accounts import account_for
from whoknows.policy.standing import ReadScope
from whoknows.ports import SourceReader, Store, Tx


@dataclass(frozen=True, slots=True)
class Verify:
    """``reader`` None: nothing outside of the database is a source."""

    store: Store
    reader: SourceReader | None = None
    before: ReadBefore = field(default_factory=ReadBefore)

    async def outside(self, caller: Caller, drafts: Sequence[Draft]) -> list[Proof]:
        """Before the transaction: sources that are read from a disk or a repository. Proofs in the order of ``drafts``."""
        claimed = [_claimed(d) for d in drafts]
        proofs = [Proof() if e is None else _unread(e) for e in claimed]
        outside = [(n, e) for n, e in enumerate(claimed) if e is not None and e.source_kind in _OUTSIDE]
        if outside and self.reader is not None:
            looked = await Outside(self.store, self.reader, self.before).look(caller, [e for _, e in outside])
            for (n, _), proof in zip(outside, looked, strict=True):
                proofs[n] = proof
        return proofs

    async def inside(self, tx: Tx, scope: ReadScope, draft: Draft, proof: Proof, audience: AudienceId) -> Proof:
        """In the transaction: messages and memories, and whether the readers of ``audience`` may read the source."""
        if not proof.evidence:
            return proof
        (evidence,) = proof.evidence
        if evidence.source_kind is SourceKind.MESSAGE:
            proof = await _said(tx, draft, evidence)
        elif evidence.source_kind is SourceKind.MEMORY:
            proof = await _stated(tx, scope, draft, evidence)
        (evidence,) = proof.evidence
        if evidence.audience in (None, audience) or await tx.citations.covers(evidence.audience, audience):
            return proof
        return Proof((replace(evidence, verified=False),), (OUT_OF_REACH,), out_of_reach=True)


_OUTSIDE = (SourceKind.GIT, SourceKind.FILE)
_NEVER_FETCHED = Finding(NOT_VERIFIABLE, "an address is kept and never fetched: its quote is not verified")
_AS_WRITTEN = Finding(NOT_VERIFIABLE, "only git:, file:, message: and memory: sources are read: this quote is not verified")


def _claimed(draft: Draft) -> Evidence | None:
    if draft.source is None:
        return None
    kind, locator, revision = parse_source(draft.source)
    hashed = None if draft.quote is None else quote_hash(draft.quote)
    return Evidence(kind, locator, revision, draft.quote, quote_hash=hashed)


def _unread(evidence: Evidence) -> Proof:
    match evidence.source_kind:
        case SourceKind.URL if evidence.quote is not None:
            return Proof((evidence,), (_NEVER_FETCHED,))
        case SourceKind.MANUAL if evidence.quote is not None:
            return Proof((evidence,), (_AS_WRITTEN,))
        case SourceKind.GIT | SourceKind.FILE:
            return unread(evidence)
        case _:
            return Proof((evidence,))


async def _said(tx: Tx, draft: Draft, evidence: Evidence) -> Proof:
    """A message is a source for what its sender said: not for an answer, nor for what WhoKnows or a harness put into it."""
    message, text = id_of(evidence.locator), draft.heard
    heard = None if message is None else await tx.citations.overheard(MessageId(message))
    if heard is not None and heard.said is not None:
        text = heard.said  # what is kept here was said; a transcript that gives it other words does not change that
    elif text is None:
        return unread(evidence) if heard is None else Proof((evidence,), (NO_SOURCE,))
    account = account_for(await tx.directory.standing())
    if account is not None:
        conversing = AudienceKey(Layer.PRIVATE, account.id, frozenset({account.id}))
        evidence = replace(evidence, audience=await tx.memories.audience(conversing))
    return looked_for(evidence, own_words(text))


async def _stated(tx: Tx, scope: ReadScope, draft: Draft, evidence: Evidence) -> Proof:
    """Another memory, current and not given by an injection. A memory proves neither itself nor what it overturns."""
    identity = id_of(evidence.locator)
    source = None if identity is None else await tx.citations.quotable(scope, MemoryId(identity))
    if source is None or not source.current:
        return unread(evidence)
    identified = replace(evidence, locator=str(identity), source=identity)
    known = replace(identified, revision=str(source.version), audience=source.audience)
    if draft.supersedes == identity:
        return Proof((known,), (CIRCULAR,))
    proof = looked_for(known, source.content)
    (found,) = proof.evidence
    if not found.verified:
        return proof
    # In its own words: where that memory is edited, the database looks for them to the letter.
    return replace(proof, evidence=(replace(found, quote=source.content[found.start : found.end]),))
