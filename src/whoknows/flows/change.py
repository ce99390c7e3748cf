"""Change: edit, archive and restore a memory, and share it or take the share back."""

from dataclasses import dataclass, replace
from hashlib import sha256

from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory, Patch, State
from whoknows.domain.principal import GateLevel, Kind
from whoknows.errors import Conflict, Finding, Forbidden, Invalid, NotFound, RefusedByGate, VersionConflict
from whoknows.flows.egress import Egress
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.must import must
from whoknows.flows.prepare import index_terms, prepare
from whoknows.flows.read import seen
from whoknows.gate.duplicates import dedupe_key
from whoknows.gate.judge import Refused, judge_edit
from whoknows.policy.rules import may_change, may_edit, may_share, reviews
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Clock, Edit, Embedder, Store, SubjectKey, Tx

_CANNOT_MOVE = "this memory is {state}: only current ones are archived, only archived ones restored"


@dataclass(frozen=True, slots=True)
class Change:
    store: Store
    embedder: Embedder
    limits: Limits
    clock: Clock
    ledger: Ledger
    egress: Egress

    async def edit(
        self,
        caller: Caller,
        memory: MemoryId,
        version: int,
        patch: Patch,
        state: State | None = None,
        found: list[Finding] | None = None,
    ) -> Memory:
        """Change the named text fields of the version that was read; VersionConflict where it is not the present one.

        ``state`` archives or restores it in the same transaction; ``found`` is told what was redacted.

        Layer, author and audience never change here (rules W3).
        """
        async with self.ledger.kept(caller, "edit"):
            return await self._edited(caller, memory, version, patch, state, found)

    async def _edited(
        self,
        caller: Caller,
        memory: MemoryId,
        version: int,
        patch: Patch,
        state: State | None,
        found: list[Finding] | None,
    ) -> Memory:
        self._check(patch)
        patch, taken = self.limits.redaction.patch(patch)
        if found is not None:
            found += taken
        before = await self._editable(caller, memory, version)
        after_content = patch.content if patch.content is not None else before.content
        after_title = (patch.title or None) if "title" in patch.named else before.title
        reindex = (after_content, after_title) != (before.content, before.title) or "expires_at" in patch.named
        may_leave = (0,) if reindex and await self.egress.may_embed_for(caller, before.audience.owner) else ()
        ready = (await prepare(self.embedder, [(after_content, after_title)], may_leave))[0] if reindex else None
        edit = Edit(
            id=memory,
            version=version,
            content=after_content,
            title=after_title,
            category=str(patch.category or before.category),
            subject=(patch.subject or None) if "subject" in patch.named else before.subject,
            tags=before.tags if patch.tags is None else tuple(dict.fromkeys(patch.tags)),
            expires_at=patch.expires_at if "expires_at" in patch.named else before.expires_at,
            reason=patch.reason if "reason" in patch.named else before.reason,
            content_hash=sha256(after_content.encode()).hexdigest(),
            dedupe_key=dedupe_key(after_content, after_title),
            index=index_terms(after_content, after_title) if ready is None else ready.index,
            vectors=() if ready is None else ready.vectors,
            pending=ready is not None and ready.pending,
            reindex=reindex,
        )
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            now = await seen(tx, scope, memory)
            must(may_change(standing, now))
            must(may_edit(standing, now))
            if reindex:
                await _must_pass(tx, standing, now)
            if "subject" in patch.named:
                await _only_current(tx, scope, replace(now, subject=edit.subject))
            if not await tx.memories.edit(scope, edit):
                raise VersionConflict(f"the present version is {now.version}, you edit {version}: read it again")
            if state not in (None, now.state) and not await tx.memories.set_state(memory, str(state)):
                raise Conflict(_CANNOT_MOVE.format(state=now.state))
            if ready is not None and ready.vectors:
                await self.egress.note(tx, Purpose.EMBEDDING, [memory])
            after = await seen(tx, scope, memory)
            must(may_edit(standing, after))  # somebody may have joined the same words at this very moment
            return after

    async def _editable(self, caller: Caller, memory: MemoryId, version: int) -> Memory:
        # Before the text is embedded: nobody pays for an edit that is refused anyway.
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            now = await seen(tx, scope_for(standing), memory)
            must(may_change(standing, now))
            must(may_edit(standing, now))
            if now.stale is not None:
                raise Forbidden(
                    "an observation says what its sources say: edit those, or delete it", reason_code="observation_is_derived"
                )
            if now.state in (State.SUPERSEDED, State.WITHDRAWN):
                raise Conflict(f"this memory is {now.state}: edit the current one")
            if now.version != version:
                raise VersionConflict(f"the present version is {now.version}, you edit {version}: read it again")
            return now

    async def archive(self, caller: Caller, memory: MemoryId) -> Memory:
        return await self.set_state(caller, memory, State.ARCHIVED)

    async def restore(self, caller: Caller, memory: MemoryId) -> Memory:
        return await self.set_state(caller, memory, State.ACTIVE)

    async def set_state(self, caller: Caller, memory: MemoryId, state: State, version: int | None = None) -> Memory:
        """Archive or restore; where ``version`` is given, only that one."""
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            now = await seen(tx, scope, memory)
            must(may_change(standing, now))
            must(may_edit(standing, now))
            if state is State.ACTIVE and now.state is State.ARCHIVED:
                await _only_current(tx, scope, now)
            if now.state is not state and not await tx.memories.set_state(memory, str(state)):
                raise Conflict(_CANNOT_MOVE.format(state=now.state))
            after = await seen(tx, scope, memory)  # the row is locked by now
            if version is not None and after.version != version:
                raise VersionConflict(f"the present version is {after.version}, not {version}: read it again")
            return after

    async def share(self, caller: Caller, memory: MemoryId, agent: str, given: bool) -> Memory:
        """Give a private memory to an agent of the tenant, or take that back. Repeating it changes nothing."""
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            now = await seen(tx, scope_for(standing), memory)
            must(may_share(standing, now))
            if now.audience.session is not None:
                raise Invalid("a memory that is bound to a session cannot be shared")
            reader = await tx.directory.find(Kind.AGENT, agent.removeprefix("agent:"))
            if reader is None or (not given and reader not in now.audience.readers):
                raise NotFound("there is no such agent" if given else "it is not shared with that agent")
            if given and reader not in now.audience.readers and len(now.audience.readers) > self.limits.readers:
                raise Invalid(f"a memory is shared with {self.limits.readers} agents at most: write it for a team instead")
            if not given and reader == now.audience.owner:
                raise Conflict("the author always sees its own memory: delete it instead")
            await tx.memories.share(memory, reader.id, given)
            return await seen(tx, scope_for(await tx.directory.standing()), memory)

    def _check(self, patch: Patch) -> None:
        if not patch.named - {"reason"}:
            raise Invalid("nothing to change: name at least one field")
        for field, value in (("content", patch.content), ("category", patch.category), ("tags", patch.tags)):
            if field in patch.named and value is None:
                raise Invalid(f"{field} cannot be null", field=field)
        if patch.content is not None:
            content(patch.content, self.limits.text_bytes)
        label(patch.title or None, self.limits.title, "title")
        label(patch.subject or None, self.limits.label, "subject")
        label(patch.reason, self.limits.reason, "reason")
        if len(patch.tags or ()) > self.limits.tags:
            raise Invalid(f"at most {self.limits.tags} tags", field="tags")
        for tag in patch.tags or ():
            label(tag, self.limits.label, "tags")
        if patch.expires_at is not None and patch.expires_at <= self.clock.now():
            raise Invalid("the time of expiry has passed already", field="expires_at")


async def _only_current(tx: Tx, scope: ReadScope, memory: Memory) -> None:
    """W8: of one author, or account, there is one current statement of a subject."""
    if memory.subject is None:
        return
    subject = SubjectKey(memory.audience.id, memory.subject, memory.project_id, memory.session_id)
    await tx.gate.lock([subject])
    of_account = memory.audience.owner.kind is Kind.MEMBER
    authors = {memory.author, *(a.author for a in memory.authors)}
    for other in await tx.memories.current_on(scope, subject):
        if other.id != memory.id and (of_account or authors & {other.author, *(a.author for a in other.authors)}):
            raise Conflict(
                f"{other.id} is the current statement about {memory.subject!r}: supersede or archive it", field="subject"
            )


async def _must_pass(tx: Tx, standing: Standing, memory: Memory) -> None:
    """Other words pass the gate of their place (rules W5)."""
    owner = memory.audience.owner
    gate = GateLevel.OPEN if owner.kind is Kind.AGENT else await tx.gate.level(owner.id)
    verdict = judge_edit(gate, memory.state, reviews(standing, memory))
    if isinstance(verdict, Refused):
        raise RefusedByGate(verdict.findings)
