"""Distil: what of a conversation is worth remembering becomes memory of the account, in one batch that can be undone."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol
from uuid import UUID

from whoknows.distill.distiller import Distiller
from whoknows.domain.conversation import ConversationId, MessageId
from whoknows.domain.credential import Caller
from whoknows.domain.distillation import BatchId, NewDistillation, new_batch_id
from whoknows.errors import Conflict, WhoKnowsError
from whoknows.flows.account import account_named
from whoknows.flows.capture import IdempotencyKey
from whoknows.flows.distill_report import Distilled, told, told_again
from whoknows.flows.finding_facts import FindFacts, FoundFacts
from whoknows.flows.hearing import Heard, Message, Role, hear
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, label
from whoknows.flows.prepare import prepare
from whoknows.flows.relating import Relating, Statement, draft_of
from whoknows.flows.replays import order_of
from whoknows.flows.verify import Verify
from whoknows.ports import Embedder, Store, Tx

ROUTE = "master-agent/distill"
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Transcript:
    """Messages in the order in which they were said. ``before`` was said earlier: it is read, and nothing is kept of it.

    ``account`` may only say whose it is anyway. ``dry``: nothing is written.
    """

    project_id: str
    messages: tuple[Message, ...]
    account: str | None = None
    before: tuple[Message, ...] = ()
    dry: bool = False


class Claimed(Protocol):
    """What is distilled by itself, claimed by this process: ``settle`` is done with the transaction that writes."""

    @property
    def conversation(self) -> ConversationId | None: ...
    async def settle(self, tx: Tx, transcript: Transcript) -> bool:
        """False where another process did it, or what was heard is gone."""
        ...


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of chat."""

    message: MessageId
    conversation: ConversationId
    claim: UUID

    async def settle(self, tx: Tx, transcript: Transcript) -> bool:
        return await tx.distillations.settle(self.message, self.claim, _answer(transcript))


class Overtaken(Exception):
    """Another process has distilled this, or what was heard is gone."""


class _DryRun(Exception):
    """Everything was tried, and is taken back."""


@dataclass(frozen=True, slots=True)
class Distill:
    store: Store
    embedder: Embedder
    limits: Limits
    find: FindFacts
    distiller: Distiller
    verify: Verify
    ledger: Ledger

    async def __call__(
        self, caller: Caller, transcript: Transcript, once: IdempotencyKey | None = None, turn: Claimed | None = None
    ) -> Distilled:
        """One batch, or nothing of it. The same messages again, by their ids and words, add nothing.

        Raises Forbidden where there is no account behind the caller, and Overtaken for a turn that is no more this process's.
        """
        label(transcript.project_id, self.limits.label, "projectId")
        self.limits.redaction.names(projectId=transcript.project_id)
        heard = await hear(self.limits, transcript.messages, transcript.project_id)
        before = [h.said for h in await hear(self.limits, transcript.before, transcript.project_id) if h.said is not None]
        async with self.store.read(caller) as tx:  # whose it is must be right before any text goes anywhere
            account_named(await tx.directory.standing(), transcript.account)
        found = await self.find(caller, [h.said for h in heard if h.said is not None], before)
        statements, found = await self._statements(heard, found)
        for attempt in range(_ATTEMPTS):
            try:
                report, refused = await self._written(caller, transcript, heard, found, statements, once, turn)
            except Conflict:  # somebody wrote or deleted the same at this very moment, or distils for the account: look again
                if attempt == _ATTEMPTS - 1:
                    raise
            else:
                if report.batch is not None:
                    await self.ledger.add(caller, ROUTE, refused)
                return report
        raise AssertionError("unreachable")

    async def _statements(self, heard: Sequence[Heard], found: FoundFacts) -> tuple[list[Statement], FoundFacts]:
        """Every fact with what the arms need of it, and its vector beside the others."""
        said = {h.said.id: h.said for h in heard if h.said is not None}
        facts = [
            (f, said[j.message_id]) for j in found.judgements for f in j.facts if len(f.text.encode()) <= self.limits.text_bytes
        ]
        prepared = await prepare(
            self.embedder, [(f.text, None) for f, _ in facts], range(len(facts)) if found.may_embed else ()
        )
        vectors = {f.text: p.vectors[0] for (f, _), p in zip(facts, prepared, strict=True) if len(p.vectors) == 1}
        statements = [Statement(f, s, p) for (f, s), p in zip(facts, prepared, strict=True)]
        return statements, replace(found, vectors={**found.vectors, **vectors})

    async def _written(
        self,
        caller: Caller,
        transcript: Transcript,
        heard: Sequence[Heard],
        found: FoundFacts,
        statements: Sequence[Statement],
        once: IdempotencyKey | None,
        turn: Claimed | None,
    ) -> tuple[Distilled, list[WhoKnowsError]]:
        dry: list[tuple[Distilled, list[WhoKnowsError]]] = []
        try:
            async with self.store.write(caller) as tx:
                standing = await tx.directory.standing()
                account = account_named(standing, transcript.account)
                if once is not None:
                    answer = await tx.records.remembered(
                        standing.tenant, standing.reader.id, once.route, once.key, once.body_hash
                    )
                    if answer is not None:
                        return await told_again(tx, BatchId(UUID(answer["b"]))), []
                batch = new_batch_id()
                conversation = None if turn is None else turn.conversation
                await tx.distillations.begin(NewDistillation(batch, transcript.project_id, conversation, found.by_model))
                # Whoever wrote first for the account made its audience, and that may have been just now.
                standing = await tx.directory.standing()
                before = await tx.distillations.heard([h.words for h in heard])
                new = [h for h in heard if h.words not in before and h.skipped != "repeat"]
                order = await order_of(tx, transcript.project_id, new, live=turn is not None)
                before |= order.again
                ids = {h.id for h in new if h.words not in before}
                fresh = [s for s in statements if s.said.id in ids]
                proofs = await self.verify.outside(caller, [draft_of(s, account, batch) for s in fresh])
                relating = Relating(tx, standing, account, batch, self.verify, self.distiller, found.vectors)
                settled = await relating.run(fresh, proofs)
                # Memories are locked before conversations, by everyone.
                if turn is not None and not await turn.settle(tx, transcript):
                    raise Overtaken
                report = await told(tx, batch, heard, before, found, settled)
                whys = {s.message_id: s.why for s in report.skipped}
                messages = order.recorded(whys, {k.message_id for k in report.kept})
                await tx.distillations.record(batch, messages, [s.kept for s in settled if s.kept is not None])
                if once is not None and not transcript.dry:
                    await tx.records.remember(standing.reader.id, once.route, once.key, {"b": str(batch)})
                refused = [s.fault for s in settled if s.fault is not None]
                if transcript.dry:
                    dry.append((replace(report, batch=None), refused))
                    raise _DryRun
                return report, refused
        except _DryRun:
            return dry[0]


def _answer(transcript: Transcript) -> str | None:
    return next((m.id for m in transcript.messages if m.role is Role.ASSISTANT), None)
