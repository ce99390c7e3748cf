"""The writing of some drafts within one transaction: where to, with what facts, and what became of each."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from whoknows.domain.audience import AudienceKey
from whoknows.domain.ids import AudienceId, MemoryId, new_memory_id
from whoknows.domain.memory import Draft, Memory, State
from whoknows.domain.task import task_name
from whoknows.errors import (
    AlreadySuperseded,
    DuplicateMemory,
    Finding,
    Forbidden,
    Invalid,
    NotFound,
    RefusedByGate,
    WhoKnowsError,
)
from whoknows.flows.belonging import must_belong
from whoknows.flows.destination import Destination, destination
from whoknows.flows.gathering import Gathering, Ready
from whoknows.flows.prepare import Prepared
from whoknows.flows.verify import Verify
from whoknows.gate.duplicates import dedupe_key
from whoknows.gate.judge import GateVerdict, Held, Merged, Refused, Stored, Superseding, judge
from whoknows.gate.proof import Proof
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import DuplicateKey, NewMemory, SubjectKey, Tx


@dataclass(frozen=True, slots=True)
class Outcome:
    """``outcome``: stored, merged, superseding or held."""

    outcome: str
    memory: Memory
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Incoming:
    """A draft, with what both arms need of it, and what was found of its evidence outside of the database."""

    draft: Draft
    prepared: Prepared
    proof: Proof


@dataclass(frozen=True, slots=True)
class _Judged:
    verdict: GateVerdict
    id: MemoryId
    ready: Ready
    leaves: tuple[MemoryId, ...]


class Writing:
    """The writing of some drafts within one transaction."""

    def __init__(self, tx: Tx, standing: Standing, incoming: list[Incoming], verify: Verify) -> None:
        self._tx = tx
        self._standing = standing
        self._incoming = incoming
        self._verify = verify
        self._new: list[NewMemory] = []
        self._audiences: dict[AudienceKey, AudienceId] = {}
        self._overturned: set[MemoryId] = set()
        self._subjects: dict[SubjectKey, _Judged] = {}

    async def run(self) -> list[Outcome | WhoKnowsError]:
        now = await self._tx.memories.now() if any(i.draft.expires_at for i in self._incoming) else None
        placed = [await self._place(i.draft, now) for i in self._incoming]
        scope = scope_for(self._standing)
        if not set(self._audiences.values()) <= scope.audiences:  # made just now: they belong to the scope
            scope = scope_for(await self._tx.directory.standing())
        gathering = Gathering(self._tx, self._standing, scope)
        ready = [await self._ready(scope, gathering, *both) for both in zip(self._incoming, placed, strict=True)]
        subjects = [r.subject for r in ready if isinstance(r, Ready) and r.subject is not None]
        if subjects:
            await self._tx.gate.lock(subjects)
        keys = {n: _key(self._standing, r) for n, r in enumerate(ready) if isinstance(r, Ready)}
        known = await self._tx.memories.duplicates(scope, list(keys.values())) if keys else {}
        judged: list[_Judged | WhoKnowsError] = []
        for n, one in enumerate(ready):
            try:
                judged.append(one if isinstance(one, WhoKnowsError) else await self._judged(gathering, one, keys[n], known))
            except WhoKnowsError as fault:
                judged.append(fault)
        if self._new:
            await self._tx.memories.add(self._new)
        return await self._finish(scope, judged)

    async def _place(self, draft: Draft, now: datetime | None) -> tuple[Destination, AudienceId] | WhoKnowsError:
        # Here and not before: a request that is repeated gets its first answer, and the clock that counts is the database's.
        if draft.expires_at is not None and now is not None and draft.expires_at <= now:
            return Invalid("the time of expiry has passed already", field="expires_at")
        try:
            to = await destination(self._tx.directory, self._standing, draft)
        except (Invalid, NotFound, Forbidden) as fault:
            return fault
        if to.key not in self._audiences:
            self._audiences[to.key] = await self._tx.memories.audience(to.key)
        return to, self._audiences[to.key]

    async def _ready(
        self, scope: ReadScope, gathering: Gathering, one: Incoming, place: tuple[Destination, AudienceId] | WhoKnowsError
    ) -> Ready | WhoKnowsError:
        if isinstance(place, WhoKnowsError):
            return place
        try:
            await must_belong(self._tx, scope, one.draft, place[1])
            proof = await self._verify.inside(self._tx, scope, one.draft, one.proof, place[1])
            return await gathering.about_subject(Ready(one.draft, *place, one.prepared, proof))
        except WhoKnowsError as fault:
            return fault

    async def _judged(
        self, gathering: Gathering, ready: Ready, key: DuplicateKey, known: dict[DuplicateKey, MemoryId]
    ) -> _Judged:
        facts = await gathering.facts(ready, known.get(key))
        verdict = judge(facts)
        if isinstance(verdict, Refused):
            raise RefusedByGate(verdict.findings)
        verdict = self._after_those_before(ready, verdict)
        if isinstance(verdict, Superseding):
            if verdict.old in self._overturned:
                raise AlreadySuperseded("an item before this one superseded it", field="supersedes")
            self._overturned |= {verdict.old, *verdict.also}
        identity = new_memory_id()
        # What it says now is not what others of the shared words say: its name leaves them.
        stays = isinstance(verdict, Held) or facts.is_quotation
        leaves = () if stays else tuple(m.id for m in facts.shared if m.id != facts.duplicate)
        judged = _Judged(verdict, identity, ready, leaves)
        if isinstance(verdict, Stored) or (isinstance(verdict, Superseding) and verdict.by is None):
            known[key] = identity
            if ready.subject is not None and not facts.is_quotation:
                self._subjects[ready.subject] = judged
        if not isinstance(verdict, Merged) and not (isinstance(verdict, Superseding) and verdict.by):
            self._new.append(self._memory(judged, key))
        return judged

    def _after_those_before(self, ready: Ready, verdict: GateVerdict) -> GateVerdict:
        """An item before this one, of the same author, is about the same subject: it is what gives way."""
        before = None if ready.subject is None else self._subjects.get(ready.subject)
        if before is None or before.id in self._overturned:
            return verdict
        match verdict:
            case Stored(findings) if before.ready.proof.level <= ready.proof.level:
                return Superseding(before.id, findings=findings)
            case Superseding(old, by, also, findings) if old not in self._overturned:
                return Superseding(old, by, (*also, before.id), findings)
            case Superseding(old, by, also, findings) if ready.draft.supersedes is None:
                left = tuple(m for m in also if m not in self._overturned)
                return Superseding(before.id, by, left, findings)
            case _:
                return verdict

    def _memory(self, judged: _Judged, key: DuplicateKey) -> NewMemory:
        draft, verdict = judged.ready.draft, judged.verdict
        instead_of = draft.supersedes if isinstance(verdict, Held | Superseding) else None
        if instead_of is None:
            match verdict:
                case Held(_, held_for):
                    instead_of = held_for
                case Superseding(old):
                    instead_of = old
                case _:
                    pass
        return NewMemory(
            id=judged.id,
            audience=judged.ready.audience,
            author=self._standing.reader.id,
            content=draft.content,
            title=draft.title,
            category=str(draft.category),
            subject=draft.subject,
            tags=draft.tags,
            isolation=str(draft.isolation),
            project_id=draft.project_id,
            session_id=draft.session_id,
            task_id=draft.task_id or task_name(self._standing.task),
            state=str(State.HELD if isinstance(verdict, Held) else State.ACTIVE),
            supersedes=instead_of,
            reason=draft.reason,
            content_hash=sha256(draft.content.encode()).hexdigest(),
            dedupe_key=key.dedupe_key,
            dedupe_author=key.dedupe_author,
            expires_at=draft.expires_at,
            evidence=judged.ready.proof.evidence,
            index=judged.ready.prepared.index,
            vectors=judged.ready.prepared.vectors,
            pending=judged.ready.prepared.pending,
            part_of=draft.part_of,
            batch=draft.batch,
        )

    async def _finish(self, scope: ReadScope, judged: list[_Judged | WhoKnowsError]) -> list[Outcome | WhoKnowsError]:
        final: list[tuple[str, MemoryId, tuple[Finding, ...]] | WhoKnowsError] = []
        for j in judged:
            if isinstance(j, WhoKnowsError):
                final.append(j)
                continue
            match j.verdict:
                case Stored(findings):
                    await self._leave(j, j.id)
                    final.append(("stored", j.id, findings))
                case Held(findings):
                    final.append(("held", j.id, findings))
                case Merged(into, findings):
                    await self._join(scope, into, j.ready)
                    await self._leave(j, into)
                    final.append(("merged", into, findings))
                case Superseding(old, by, also, findings):
                    if by is not None:
                        await self._join(scope, by, j.ready)
                    for gone in (old, *also):
                        await self._overturn(gone, by or j.id, j.ready.draft.reason)
                    await self._leave(j, by or j.id)
                    final.append(("superseding", by or j.id, findings))
                case Refused(findings):
                    final.append(RefusedByGate(findings))
        wanted = {f[1] for f in final if not isinstance(f, WhoKnowsError)}
        stored = {m.id: m for m in await self._tx.memories.load(scope, list(wanted))}
        return [f if isinstance(f, WhoKnowsError) else Outcome(f[0], stored[f[1]], f[2]) for f in final]

    async def _leave(self, judged: _Judged, now: MemoryId) -> None:
        for words in judged.leaves:
            await self._tx.gate.leave_words(words, now)

    async def _join(self, scope: ReadScope, into: MemoryId, ready: Ready) -> None:
        words = dedupe_key(ready.draft.content, ready.draft.title)
        await self._tx.memories.attribute(scope, into, words, self._standing.reader.id, ready.proof.evidence)

    async def _overturn(self, old: MemoryId, new: MemoryId, reason: str | None) -> None:
        if not await self._tx.memories.supersede(old, new, reason):
            raise DuplicateMemory("the memory was superseded at this very moment")


def _key(standing: Standing, ready: Ready) -> DuplicateKey:
    draft = ready.draft
    return DuplicateKey(
        audience=ready.audience,
        dedupe_key=dedupe_key(draft.content, draft.title),
        dedupe_author=standing.reader.id if draft.layer == "private" else None,
        project_id=draft.project_id,
        session_id=draft.session_id,
        expires_at=draft.expires_at,
    )
