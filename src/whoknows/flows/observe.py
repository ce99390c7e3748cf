"""Observations as they are listed, read, made of what somebody named, and computed anew."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.audience import Layer
from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.memory import Category, Memory, State
from whoknows.domain.observation import Gathered, Made, Observation, Quote, Statement
from whoknows.errors import AudienceDiffers, Concurrent, Conflict, Finding, Forbidden, Invalid, NotFound, QuoteNotFound
from whoknows.flows.deriving import LEAST, extractive, restate, through_gate
from whoknows.flows.destination import team_of
from whoknows.flows.egress import Egress
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.must import must
from whoknows.flows.wording import with_rest, worded
from whoknows.gate.citing import borne_out
from whoknows.policy.rules import may_write_private, may_write_team
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Embedder, Page, Store, Tx
from whoknows.ports.observations import Put, Stating, Words

MOST_LISTED = 50
_TRIES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants stated: ``text`` None states the memory that is nearest to all of them, word for word."""

    memories: Sequence[MemoryId]
    text: str | None = None
    quotes: Sequence[Quote] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """An observation, and what this call did to it."""

    outcome: Put
    observation: Observation
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Observe:
    store: Store
    embedder: Embedder
    limits: Limits
    egress: Egress
    ledger: Ledger

    async def list(
        self,
        caller: Caller,
        project_id: str | None = None,
        team_id: str | None = None,
        stale: bool | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Observation]:
        """Current ones, and held ones that the caller may see, newest first."""
        label(project_id, self.limits.label, "project_id")
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            owners = [] if team_id is None else [team_of(standing, team_id).team.id]
            return await tx.observations.page(
                scope_for(standing), project_id, owners, stale, min(limit, self.limits.page), cursor
            )

    async def get(self, caller: Caller, observation: MemoryId) -> Observation:
        async with self.store.read(caller) as tx:
            return await _seen(tx, scope_for(await tx.directory.standing()), observation)

    async def make(self, caller: Caller, asked: Asked) -> Told:
        """Raises AudienceDiffers, QuoteNotFound, RefusedByGate; Put.TAKEN with the one that is there already."""
        async with self.ledger.kept(caller, "observe"):
            return await self._made(caller, asked)

    async def _made(self, caller: Caller, asked: Asked) -> Told:
        asked, findings = self._checked(asked)
        words = None
        for _ in range(_TRIES):
            async with self.store.read(caller) as tx:
                standing = await tx.directory.standing()
                sources = await self._sources(tx, standing, asked)  # nobody pays for a text that is refused anyway
                bank, _ = await tx.observations.deriving(scope_for(standing)).gate(sources[0].audience)
            if asked.text is not None and words is None:
                words = await worded(self.embedder, self.egress, caller, bank, asked.text)
            async with self.store.write(caller) as tx:
                standing = await tx.directory.standing()
                scope = scope_for(standing)
                sources = await self._sources(tx, standing, asked)
                stating = extractive(sources) if words is None else self._borne_out(asked, sources, words)
                there = await tx.observations.of_exactly(scope, asked.memories, None if words is None else words.content_hash)
                if there is not None:
                    return Told(Put.TAKEN, await _seen(tx, scope, there), findings)
                deriving = tx.observations.deriving(scope)
                stating = await through_gate(deriving, stating, standing.reader)
                new = new_memory_id()
                done = await deriving.put(new, stating, Gathered.LISTED, own=True)
                if done is Put.MADE:
                    if words is not None and words.vectors:
                        await self.egress.note(tx, Purpose.EMBEDDING, [new])
                    return Told(done, await _seen(tx, scope, new), findings)
        raise Concurrent("the memories were changed at this very moment: look at them again")

    async def recompute(self, caller: Caller, observation: MemoryId) -> Told:
        """Compute one anew from what its sources are now: a new version in place, where it says something else."""
        for _ in range(_TRIES):
            async with self.store.write(caller) as tx:
                standing = await tx.directory.standing()
                scope = scope_for(standing)
                found = await _seen(tx, scope, observation)
                _must_write(standing, found.memory)
                if found.memory.state not in (State.ACTIVE, State.HELD):
                    raise Conflict(f"this observation is {found.memory.state}: only current ones are computed anew")
                deriving = tx.observations.deriving(scope)
                resting = await deriving.resting(observation)
                done = Put.CHANGED if resting is None else await restate(deriving, resting, standing.reader)
                if done is not Put.CHANGED:
                    return Told(done, await _seen(tx, scope, observation))
        raise Concurrent

    async def _sources(self, tx: Tx, standing: Standing, asked: Asked) -> Sequence[Statement]:
        """What is to be stated: seen, of one audience, and observable there by the caller."""
        scope = scope_for(standing)
        memories = {m.id: m for m in await tx.memories.load(scope, asked.memories)}
        for identity in asked.memories:
            if identity not in memories:
                raise NotFound("there is no such memory", field="memory_ids")
        if len({m.audience.id for m in memories.values()}) > 1:
            raise AudienceDiffers("an observation rests on memories of one audience", field="memory_ids")
        _must_write(standing, memories[asked.memories[0]])
        found = await tx.observations.deriving(scope).statements(asked.memories)
        for identity in asked.memories:
            if all(s.id != identity for s in found):
                raise Invalid(_why_not(memories[identity]), field="memory_ids")
        return found

    def _borne_out(self, asked: Asked, sources: Sequence[Statement], words: Words) -> Stating:
        evidence, missing = borne_out(words.content, asked.quotes, {s.id: s for s in sources})
        if missing:
            raise QuoteNotFound(missing)
        return Stating(sources, None, words, with_rest(evidence, sources, words.content), Made.QUOTED, held=False)

    def _checked(self, asked: Asked) -> tuple[Asked, tuple[Finding, ...]]:
        memories = tuple(dict.fromkeys(asked.memories))
        if not LEAST <= len(memories) <= MOST_LISTED:
            raise Invalid(f"name {LEAST} to {MOST_LISTED} different memories", field="memory_ids")
        if asked.quotes and asked.text is None:
            raise Invalid("quotes bear out a text: give `text`, or leave them out", field="quotes")
        found: list[Finding] = []
        text = asked.text
        if text is not None:
            text = self.limits.redaction.text(content(text, self.limits.text_bytes, "text"), "text", found)
        for q in asked.quotes:
            self.limits.redaction.quote(content(q.quote, self.limits.text_bytes, "quotes"))
        return replace(asked, memories=memories, text=text), tuple(found)


def _must_write(standing: Standing, memory: Memory) -> None:
    owner = memory.audience.owner
    match memory.audience.layer:
        case Layer.TEAM:
            must(may_write_team(standing, owner.id))
        case Layer.PRIVATE:
            must(may_write_private(standing, owner))
        case Layer.INJECTED:
            raise Forbidden("what was injected is read-only, and nothing rests on it", reason_code="read_only")


def _why_not(memory: Memory) -> str:
    if memory.state is not State.ACTIVE:
        return f"{memory.id} is {memory.state}: an observation rests on current memories"
    if memory.category is Category.OBSERVATION:
        return f"{memory.id} is an observation: name what it rests on"
    if memory.origin is not None or memory.injected_by is not None:
        return f"{memory.id} is a copy: an observation rests on originals"
    if memory.indexed or memory.part_of is not None:
        return f"{memory.id} is part of a document: that is its own authority"
    return f"{memory.id} is bound to a session or a task: nothing outside of it rests on it"


async def _seen(tx: Tx, scope: ReadScope, observation: MemoryId) -> Observation:
    found = await tx.observations.get(scope, observation)
    if found is None:
        raise NotFound("there is no such observation")
    return found
