"""Gathering: what the gate must know of each draft, read within the author's own scope in the transaction of the write."""

from dataclasses import dataclass, replace

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Draft, Memory
from whoknows.domain.principal import GateLevel, Kind
from whoknows.errors import Forbidden, NotFound
from whoknows.flows.destination import Destination
from whoknows.flows.prepare import Prepared
from whoknows.gate.facts import Facts
from whoknows.gate.near import alike, differs
from whoknows.gate.proof import Proof
from whoknows.gate.quotation import is_quotation
from whoknows.policy.rules import may_overturn
from whoknows.policy.standing import ReadScope, Standing
from whoknows.ports import SubjectKey, Tx

NEAR_COSINE = 0.95
NEAR_WORDS = 0.7
"""Almost the same: so near as vectors, and so many words in common. Either alone is said of many texts on one topic."""
_NEAREST = 3
_NEWEST = 5_000
"""Passages that a text is compared with: what the gate costs does not grow with what is there."""


@dataclass(frozen=True, slots=True)
class Ready:
    """One draft, with its place, what both arms need of it, and what was found of its evidence."""

    draft: Draft
    to: Destination
    audience: AudienceId
    prepared: Prepared
    proof: Proof

    @property
    def subject(self) -> SubjectKey | None:
        d = self.draft
        return None if d.subject is None else SubjectKey(self.audience, d.subject, d.project_id, d.session_id)


class Gathering:
    def __init__(self, tx: Tx, standing: Standing, scope: ReadScope) -> None:
        self._tx = tx
        self._standing = standing
        self._scope = scope
        self._gates: dict[int, GateLevel] = {}

    async def about_subject(self, ready: Ready) -> Ready:
        """The draft with the subject of what it names to supersede, where it has none of its own."""
        if ready.draft.supersedes is None or ready.draft.subject is not None:
            return ready
        old = await self._overturned(ready.draft.supersedes)
        return replace(ready, draft=replace(ready.draft, subject=old.subject))

    async def facts(self, ready: Ready, duplicate: MemoryId | None) -> Facts:
        draft, reader = ready.draft, self._standing.reader
        overturns = None if draft.supersedes is None else await self._overturned(draft.supersedes)
        current = () if ready.subject is None else await self._tx.memories.current_on(self._scope, ready.subject)
        current = [m for m in current if m.id != draft.supersedes]
        of_account = ready.to.owner.kind is Kind.MEMBER
        mine = [m for m in current if of_account or any(a.author == reader for a in m.authors)]
        shared = [m for m in mine if not of_account and any(a.author != reader for a in m.authors)]
        return Facts(
            gate=await self._gate(ready.to),
            level=ready.proof.level,
            proof=ready.proof.findings,
            must_verify=draft.must_verify,
            # What a distillation wrote of its talk, a member has not weighed yet.
            reviews_itself=reader.kind is Kind.MEMBER and ready.to.owner == reader and draft.batch is None,
            duplicate=duplicate,
            overturns=overturns,
            may_overturn=None if overturns is None else may_overturn(self._standing, overturns),
            same_audience=overturns is None or overturns.audience.id == ready.audience,
            own=tuple(m for m in mine if m not in shared),
            shared=tuple(shared),
            others=tuple(m for m in current if m not in mine),
            is_quotation=bool(current) and is_quotation(draft.content),
            near=None if duplicate or current else await self._near(ready),
        )

    async def _overturned(self, memory: MemoryId) -> Memory:
        found = await self._tx.memories.get(self._scope, memory)
        if found is None:
            raise NotFound("there is no such memory to supersede", field="supersedes")
        if found.indexed:  # nobody could ever let it in
            raise Forbidden("it stands in a source: change it there, and synchronise", reason_code="read_only_index")
        return found

    async def _gate(self, to: Destination) -> GateLevel:
        if to.owner.kind is Kind.AGENT:
            return GateLevel.OPEN
        if to.owner.id not in self._gates:
            self._gates[to.owner.id] = await self._tx.gate.level(to.owner.id)
        return self._gates[to.owner.id]

    async def _near(self, ready: Ready) -> MemoryId | None:
        if len(ready.prepared.vectors) != 1:  # a long text of several passages is near to many in one of them
            return None
        found = await self._tx.memories.near(self._scope, ready.audience, ready.prepared.vectors[0], _NEWEST, _NEAREST)
        close = [memory for memory, cosine in found if cosine >= NEAR_COSINE and memory != ready.draft.supersedes]
        for memory in await self._tx.memories.load(self._scope, close) if close else ():
            same_place = (memory.project_id, memory.session_id) == (ready.draft.project_id, ready.draft.session_id)
            text = ready.draft.content
            if same_place and alike(memory.content, text) >= NEAR_WORDS and differs(memory.content, text) is None:
                return memory.id
        return None
