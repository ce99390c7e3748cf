"""Review: what waits at a gate is let in, in its own words or a reviewer's, or rejected (rules W5)."""

from dataclasses import dataclass
from hashlib import sha256

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, uuid7
from whoknows.domain.memory import Memory, State
from whoknows.errors import AlreadySuperseded, Conflict, Finding, Forbidden, NotFound, VersionConflict
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.prepare import prepare
from whoknows.flows.read import seen
from whoknows.flows.writing import Outcome
from whoknows.gate.duplicates import dedupe_key
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import Admission, Edit, Embedder, Page, Store, Tx


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewer is a member with write rights there who is not the author; of account memory, the member."""

    store: Store
    embedder: Embedder
    limits: Limits

    async def waiting(self, caller: Caller, limit: int, cursor: str | None) -> Page[Memory]:
        """What the caller may let in or reject, oldest first."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            page = await tx.gate.waiting(scope, min(limit, self.limits.page), cursor)
            return Page(await tx.memories.load(scope, page.items), page.next_cursor)

    async def admit(
        self, caller: Caller, memory: MemoryId, version: int | None = None, text: str | None = None, title: str | None = None
    ) -> Outcome:
        """Let it in. ``text`` and ``title`` are the reviewer's own words for it; ``version`` that of what was read.

        What it wants to overturn gives way. AlreadySuperseded where that is not current any more; it still waits then.
        """
        findings: list[Finding] = []
        edit = await self._reworded(caller, memory, version, text, title, findings)
        async with self.store.write(caller) as tx:
            scope, now = await _reviewable(tx, memory)
            if version is not None and now.version != version:
                raise VersionConflict(f"the present version is {now.version}, you read {version}: read it again")
            if edit is not None and not await tx.gate.reword(edit):
                raise VersionConflict("somebody else changed it at this very moment: read it again")
            outcome, into = await tx.gate.admit(memory)
            if outcome is Admission.STALE:
                raise AlreadySuperseded("what it was to overturn is not current any more: reject it, or write it anew")
            admitted = await tx.memories.get(scope, into)
        if admitted is None:
            raise NotFound("there is no such memory")
        return Outcome(str(outcome), admitted, tuple(findings))

    async def reject(self, caller: Caller, memory: MemoryId, reason: str) -> None:
        """It is deleted; its author finds the reason in its ledger."""
        label(reason, self.limits.reason, "reason")
        reason = self.limits.redaction.clean(reason)
        async with self.store.write(caller) as tx:
            await _reviewable(tx, memory)
            await tx.gate.reject(memory, uuid7(), reason)

    async def _reworded(
        self,
        caller: Caller,
        memory: MemoryId,
        version: int | None,
        text: str | None,
        title: str | None,
        findings: list[Finding],
    ) -> Edit | None:
        if text is None and title is None:
            return None
        if text is not None:
            content(text, self.limits.text_bytes)
        label(title or None, self.limits.title, "title")
        async with self.store.read(caller) as tx:
            _, now = await _reviewable(tx, memory)
        if now.origin is not None:
            raise Conflict("a copy keeps the words of its original: reject it, and ask its author to change that")
        if version is not None and now.version != version:
            raise VersionConflict(f"the present version is {now.version}, you read {version}: read it again")
        redaction = self.limits.redaction
        words = now.content if text is None else redaction.text(text, "content", findings)
        name = now.title if title is None else redaction.optional(title or None, "title", findings)
        (ready,) = await prepare(self.embedder, [(words, name)])
        return Edit(
            id=memory,
            version=now.version,
            content=words,
            title=name,
            category=str(now.category),
            subject=now.subject,
            tags=now.tags,
            expires_at=now.expires_at,
            reason=now.reason,
            content_hash=sha256(words.encode()).hexdigest(),
            dedupe_key=dedupe_key(words, name),
            index=ready.index,
            vectors=ready.vectors,
            pending=ready.pending,
            reindex=True,
        )


async def _reviewable(tx: Tx, memory: MemoryId) -> tuple[ReadScope, Memory]:
    scope = scope_for(await tx.directory.standing())
    now = await seen(tx, scope, memory)
    if now.state is not State.HELD:
        raise Conflict(f"this memory is {now.state}: nothing of it waits")
    if not await tx.gate.may_review(memory):
        raise Forbidden("a reviewer is a member with write rights there who is not the author", reason_code="not_a_reviewer")
    return scope, now
