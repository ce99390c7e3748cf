"""The writing of some drafts within one transaction: where to, with what facts, and what became of each."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from whoknows.domain.audience import AudienceKey
from whoknows.domain.evidence import Evidence, parse_source
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId, new_memory_id
from whoknows.domain.memory import Draft, Memory, State
from whoknows.domain.principal import EVERYONE, GateLevel, Kind
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
from whoknows.flows.destination import Destination, destination
from whoknows.flows.prepare import Prepared
from whoknows.gate.duplicates import dedupe_key
from whoknows.gate.facts import Facts
from whoknows.gate.judge import GateVerdict, Held, Merged, Refused, Stored, Superseding, judge
from whoknows.policy.rules import may_overturn
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import DuplicateKey, NewMemory, Tx


@dataclass(frozen=True, slots=True)
class Outcome:
    """``outcome``: stored, merged, superseding or held."""

    outcome: str
    memory: Memory
    findings: tuple[Finding, ...] = ()


class Writing:
    """The writing of some drafts within one transaction: where to, with what facts, and what became of each."""

    def __init__(self, tx: Tx, standing: Standing, drafts: list[Draft], prepared: list[Prepared]) -> None:
        self._tx = tx
        self._standing = standing
        self._drafts = drafts
        self._prepared = prepared
        self._new: list[NewMemory] = []
        self._audiences: dict[AudienceKey, AudienceId] = {}
        self._gates: dict[PrincipalId, GateLevel] = {}
        self._overturned: set[MemoryId] = set()

    async def run(self) -> list[Outcome | WhoKnowsError]:
        now = await self._tx.memories.now() if any(d.expires_at for d in self._drafts) else None
        placed = [await self._place(d, now) for d in self._drafts]
        scope = scope_for(self._standing)
        if not set(self._audiences.values()) <= scope.audiences:  # made just now: they belong to the scope
            scope = scope_for(await self._tx.directory.standing())
        keys = {
            n: _key(self._standing, p[1], self._drafts[n]) for n, p in enumerate(placed) if not isinstance(p, WhoKnowsError)
        }
        known = await self._tx.memories.duplicates(scope, list(keys.values())) if keys else {}
        verdicts: list[tuple[GateVerdict, MemoryId, Draft, Prepared] | WhoKnowsError] = []
        for n, place in enumerate(placed):
            if isinstance(place, WhoKnowsError):
                verdicts.append(place)
                continue
            try:
                verdict = await self._judge(scope, place[0], place[1], self._drafts[n], known.get(keys[n]))
            except WhoKnowsError as fault:
                verdicts.append(fault)
                continue
            identity = new_memory_id()
            if isinstance(verdict, Stored) or (isinstance(verdict, Superseding) and verdict.by is None):
                known[keys[n]] = identity
            if not isinstance(verdict, Merged | Refused) and not (isinstance(verdict, Superseding) and verdict.by):
                self._new.append(self._memory(identity, place[1], self._drafts[n], self._prepared[n], keys[n], verdict))
            verdicts.append((verdict, identity, self._drafts[n], self._prepared[n]))
        if self._new:
            await self._tx.memories.add(self._new)
        return await self._finish(scope, verdicts)

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

    async def _judge(
        self, scope: ReadScope, to: Destination, audience: AudienceId, draft: Draft, duplicate: MemoryId | None
    ) -> GateVerdict:
        overturns = None
        if draft.supersedes is not None:
            overturns = await self._tx.memories.get(scope, draft.supersedes)
            if overturns is None:
                raise NotFound("there is no such memory to supersede", field="supersedes")
        verdict = judge(
            Facts(
                gate=await self._gate(to),
                duplicate=duplicate,
                overturns=overturns,
                may_overturn=None if overturns is None else may_overturn(self._standing, overturns),
                same_audience=overturns is None or overturns.audience.id == audience,
            )
        )
        if isinstance(verdict, Refused):
            raise RefusedByGate(verdict.findings)
        if isinstance(verdict, Superseding):
            if verdict.old in self._overturned:
                raise AlreadySuperseded("an item before this one superseded it", field="supersedes")
            self._overturned.add(verdict.old)
        return verdict

    async def _gate(self, to: Destination) -> GateLevel:
        if to.owner.kind is not Kind.TEAM or to.owner.name == EVERYONE:
            return GateLevel.OPEN
        if to.owner.id not in self._gates:
            self._gates |= {team.principal.id: team.gate for team in await self._tx.directory.teams()}
        return self._gates[to.owner.id]

    def _memory(
        self, identity: MemoryId, audience: AudienceId, draft: Draft, ready: Prepared, key: DuplicateKey, verdict: GateVerdict
    ) -> NewMemory:
        return NewMemory(
            id=identity,
            audience=audience,
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
            supersedes=draft.supersedes if isinstance(verdict, Held | Superseding) else None,
            reason=draft.reason,
            content_hash=sha256(draft.content.encode()).hexdigest(),
            dedupe_key=key.dedupe_key,
            dedupe_author=key.dedupe_author,
            expires_at=draft.expires_at,
            evidence=_evidence(draft),
            index=ready.index,
            vectors=ready.vectors,
            pending=ready.pending,
        )

    async def _finish(
        self, scope: ReadScope, verdicts: list[tuple[GateVerdict, MemoryId, Draft, Prepared] | WhoKnowsError]
    ) -> list[Outcome | WhoKnowsError]:
        final: list[tuple[str, MemoryId, tuple[Finding, ...]] | WhoKnowsError] = []
        for v in verdicts:
            if isinstance(v, WhoKnowsError):
                final.append(v)
                continue
            verdict, identity, draft, _ = v
            match verdict:
                case Stored():
                    final.append(("stored", identity, ()))
                case Held(findings):
                    final.append(("held", identity, findings))
                case Merged(into):
                    await self._join(scope, into, draft)
                    final.append(("merged", into, ()))
                case Superseding(old, by):
                    if by is not None:
                        await self._join(scope, by, draft)
                    await self._overturn(old, by or identity, draft.reason)
                    final.append(("superseding", by or identity, ()))
                case Refused(findings):
                    final.append(RefusedByGate(findings))
        wanted = {f[1] for f in final if not isinstance(f, WhoKnowsError)}
        stored = {m.id: m for m in await self._tx.memories.load(scope, list(wanted))}
        return [f if isinstance(f, WhoKnowsError) else Outcome(f[0], stored[f[1]], f[2]) for f in final]

    async def _join(self, scope: ReadScope, into: MemoryId, draft: Draft) -> None:
        words = dedupe_key(draft.content, draft.title)
        await self._tx.memories.attribute(scope, into, words, self._standing.reader.id, _evidence(draft))

    async def _overturn(self, old: MemoryId, new: MemoryId, reason: str | None) -> None:
        if not await self._tx.memories.supersede(old, new, reason):
            raise DuplicateMemory("the memory was superseded at this very moment")


def _key(standing: Standing, audience: AudienceId, draft: Draft) -> DuplicateKey:
    private = draft.layer == "private"
    return DuplicateKey(
        audience=audience,
        dedupe_key=dedupe_key(draft.content, draft.title),
        dedupe_author=standing.reader.id if private else None,
        project_id=draft.project_id,
        session_id=draft.session_id,
        expires_at=draft.expires_at,
    )


def _evidence(draft: Draft) -> tuple[Evidence, ...]:
    if draft.source is None:
        return ()
    kind, locator, revision = parse_source(draft.source)
    hashed = None if draft.quote is None else sha256(draft.quote.encode()).hexdigest()
    return (Evidence(kind, locator, revision, draft.quote, quote_hash=hashed),)
