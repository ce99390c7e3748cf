"""Capture: drafts become memories, through the gate of their destination."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft
from whoknows.errors import (
    AlreadySuperseded,
    AudienceDiffers,
    Concurrent,
    Conflict,
    DuplicateMemory,
    Finding,
    Forbidden,
    IdempotencyMismatch,
    Invalid,
    NotFound,
    PermissionMissing,
    QuoteNotFound,
    RefusedByGate,
    WhoKnowsError,
)
from whoknows.flows.egress import Egress
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.prepare import prepare
from whoknows.flows.verify import Verify
from whoknows.flows.writing import Incoming, Outcome, Writing
from whoknows.gate.redact import redact
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import Embedder, Store, Tx

CHUNK = 32
"""Memories of one transaction in a batch: small enough to wait for, large enough to be fast."""
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What makes a request itself (rules W11): the route, the caller's key, and a hash of the body."""

    route: str
    key: str
    body_hash: str


@dataclass(frozen=True, slots=True)
class Capture:
    store: Store
    embedder: Embedder
    limits: Limits
    verify: Verify
    ledger: Ledger
    egress: Egress

    async def __call__(
        self, caller: Caller, draft: Draft, idempotency: IdempotencyKey | None = None, route: str = "capture"
    ) -> Outcome:
        """Store one draft. Raises what :meth:`batch` would answer for it."""
        (result,) = await self.batch(caller, [draft], idempotency, route)
        if isinstance(result, WhoKnowsError):
            raise result
        return result

    async def batch(
        self,
        caller: Caller,
        drafts: Sequence[Draft],
        idempotency: IdempotencyKey | None = None,
        route: str = "capture/batch",
    ) -> list[Outcome | WhoKnowsError]:
        """Store many drafts of one caller; a failing one does not stop the others. Results in order.

        An embedder or a database that fails is raised while nothing is committed, and is the result of what is left after.
        What did not go in is in the caller's ledger, under ``route`` (rules W10).
        """
        async with self.ledger.kept(caller, route):
            results = await self._all(caller, drafts, idempotency)
        await self.ledger.add(caller, route, [r for r in results if isinstance(r, WhoKnowsError)])
        return results

    async def _all(
        self, caller: Caller, drafts: Sequence[Draft], idempotency: IdempotencyKey | None
    ) -> list[Outcome | WhoKnowsError]:
        results: dict[int, Outcome | WhoKnowsError] = {}
        taken: dict[int, tuple[Finding, ...]] = {}
        good: list[tuple[int, Draft]] = []
        for n, draft in enumerate(drafts):
            try:
                clean, taken[n] = self.limits.redaction.draft(self._checked(draft))
                good.append((n, clean))
            except WhoKnowsError as fault:
                results[n] = fault
            await asyncio.sleep(0)  # many long texts take seconds: others are answered between two of them
        step = max(1, len(good)) if idempotency else CHUNK
        parts = [good[start : start + step] for start in range(0, len(good), step)]
        ahead = self._ahead(caller, parts, 0)
        try:
            for n, part in enumerate(parts):
                try:
                    incoming = await ahead
                    ahead = self._ahead(caller, parts, n + 1)  # the next texts are embedded while these are written
                    written = await self._write(caller, incoming, idempotency)
                except WhoKnowsError as fault:
                    if n == 0:
                        raise
                    # What stands before is committed, and must be told of.
                    results |= {place: fault for left in parts[n:] for place, _ in left}
                    break
                results |= {place: r for (place, _), r in zip(part, written, strict=True)}
        finally:
            ahead.cancel()
        return [_told(results[n], taken.get(n, ())) for n in range(len(drafts))]

    def _ahead(self, caller: Caller, parts: list[list[tuple[int, Draft]]], n: int) -> asyncio.Task[list[Incoming]]:
        drafts = [d for _, d in parts[n]] if n < len(parts) else []
        task = asyncio.create_task(self._incoming(caller, drafts))
        # If nobody waits for it any more, its fault is nobody's.
        task.add_done_callback(lambda t: None if t.cancelled() else t.exception() and None)
        return task

    async def _incoming(self, caller: Caller, drafts: list[Draft]) -> list[Incoming]:
        may_leave = await self.egress.may_embed(caller, drafts)
        prepared = await prepare(self.embedder, [(d.content, d.title) for d in drafts], may_leave)
        proofs = await self.verify.outside(caller, drafts)
        return [Incoming(*each) for each in zip(drafts, prepared, proofs, strict=True)]

    async def _write(
        self, caller: Caller, incoming: list[Incoming], idempotency: IdempotencyKey | None
    ) -> Sequence[Outcome | WhoKnowsError]:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._transaction(caller, incoming, idempotency)
            except PermissionMissing:
                raise
            except (Conflict, Forbidden) as fault:
                # Somebody wrote the same words, or superseded or deleted the same memory, or a right ended, at this very
                # moment: look again.
                again = isinstance(fault, DuplicateMemory | Concurrent | Forbidden)
                if attempt == _ATTEMPTS - 1 or (len(incoming) == 1 and not again):
                    if len(incoming) == 1 or idempotency:
                        raise
                    break
        one_by_one: list[Outcome | WhoKnowsError] = []
        for one in incoming:
            try:
                one_by_one += await self._write(caller, [one], None)
            except PermissionMissing:
                raise
            except (Conflict, Forbidden) as fault:
                one_by_one.append(fault)
        return one_by_one

    async def _transaction(
        self, caller: Caller, incoming: list[Incoming], idempotency: IdempotencyKey | None
    ) -> Sequence[Outcome | WhoKnowsError]:
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            if idempotency:
                answer = await tx.records.remembered(
                    standing.tenant, standing.reader.id, idempotency.route, idempotency.key, idempotency.body_hash
                )
                if answer is not None:
                    if len(answer["results"]) != len(incoming):  # what another key of the same agent may write may differ
                        raise IdempotencyMismatch
                    # The claim may have waited for the first request, whose audience is newer than the standing above.
                    return await _again(tx, scope_for(await tx.directory.standing()), answer)
            written = await Writing(tx, standing, incoming, self.verify).run()
            sent = [
                w.memory.id for w, i in zip(written, incoming, strict=True) if isinstance(w, Outcome) and i.prepared.vectors
            ]
            await self.egress.note(tx, Purpose.EMBEDDING, sent)
            if idempotency:
                kept = [[w.outcome, str(w.memory.id)] if isinstance(w, Outcome) else _kept_fault(w) for w in written]
                await tx.records.remember(standing.reader.id, idempotency.route, idempotency.key, {"results": kept})
            return written

    def _checked(self, draft: Draft) -> Draft:
        limits = self.limits
        content(draft.content, limits.text_bytes)
        label(draft.title or None, limits.title, "title")
        for field in ("agent_id", "account", "team_id", "project_id", "session_id", "task_id", "subject"):
            label(getattr(draft, field), limits.label, field)
        label(draft.reason, limits.reason, "reason")
        label(draft.source, limits.reason, "source")
        if draft.quote is not None:
            content(draft.quote, limits.text_bytes, "quote")
            if draft.source is None:
                raise Invalid("a quote needs the source it was taken from", field="quote")
        for field, values, most in (("tags", draft.tags, limits.tags), ("visible_to", draft.visible_to, limits.readers)):
            if len(values) > most:
                raise Invalid(f"at most {most} are accepted", field=field)
            for value in values:
                label(value, limits.label, field)
        return replace(draft, title=draft.title or None, tags=tuple(dict.fromkeys(draft.tags)))


def _told(result: Outcome | WhoKnowsError, taken: tuple[Finding, ...]) -> Outcome | WhoKnowsError:
    """The result, and what was taken out of the texts before."""
    return replace(result, findings=(*taken, *result.findings)) if isinstance(result, Outcome) and taken else result


async def _again(tx: Tx, scope: ReadScope, answer: dict[str, list[list[str]]]) -> list[Outcome | WhoKnowsError]:
    """The answer that was given before, rendered under today's standing."""
    results: list[Outcome | WhoKnowsError] = []
    for outcome, identity in answer["results"]:
        if outcome not in ("stored", "merged", "superseding", "held"):
            results.append(_fault(outcome, identity))
            continue
        memory = await tx.memories.get(scope, MemoryId(UUID(identity)))
        results.append(NotFound("it was stored, and is gone or hidden since") if memory is None else Outcome(outcome, memory))
    return results


def _kept_fault(fault: WhoKnowsError) -> list[str]:
    """Its code and its words; a name that they repeat may hold a secret."""
    return [_code(fault), redact(fault.detail).text]


def _code(fault: WhoKnowsError) -> str:
    return fault.reason_code if isinstance(fault, Forbidden) else fault.code


def _fault(code: str, detail: str) -> WhoKnowsError:
    """The refusal that was answered before, of the same kind."""
    for kind in (Invalid, AudienceDiffers, NotFound, AlreadySuperseded, DuplicateMemory, Conflict):
        if kind.code == code:
            return kind(detail)
    for refusal in (RefusedByGate, QuoteNotFound):
        if refusal.code == code:
            return refusal((Finding("gate", detail),))
    return Forbidden(detail, reason_code=code)
