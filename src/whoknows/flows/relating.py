"""Relating: facts become memories in one transaction, each against what is known by then: new, a repeat, or an update."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.distill.distiller import Distiller, Vectors
from whoknows.domain.distillation import BatchId, Became, KeptFact
from whoknows.domain.distilled import FactFound, Known, New, Reach, Relation, Said, Same, Updates
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.memory import Draft
from whoknows.domain.principal import Principal
from whoknows.errors import AudienceDiffers, Conflict, WhoKnowsError
from whoknows.flows.prepare import Prepared, index_terms
from whoknows.flows.verify import Verify
from whoknows.flows.writing import Incoming, Outcome, Writing
from whoknows.gate.proof import Proof
from whoknows.gate.quotes import quote_hash
from whoknows.policy.accounts import account_scope
from whoknows.policy.standing import ReadScope, Standing
from whoknows.ports import Tx
from whoknows.recall.tokens import is_wide

CANDIDATES = 24
"""Memories that a fact is compared with: so many of the nearest, and so many of the last."""
_BEFORE = 500
"""Characters of an older statement that stand beside one which changes it in part."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact, the message that it was found in, and what the arms need of its text, which ``proof`` goes with."""

    fact: FactFound
    said: Said
    prepared: Prepared


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a statement. ``memory`` is None where the gate refused it, for ``fault``."""

    statement: Statement
    became: Became | None
    memory: MemoryId | None
    outcome: Outcome | None = None
    fault: WhoKnowsError | None = None
    old: MemoryId | None = None

    @property
    def kept(self) -> KeptFact | None:
        if self.became is None or self.memory is None:
            return None
        return KeptFact(self.statement.said.id, self.memory, self.became, quote_hash(self.statement.fact.quote))


@dataclass(slots=True)
class _Waiting:
    """A statement that is not written yet; ``known`` is how those behind it see it."""

    place: int
    incoming: Incoming
    known: Known
    old: MemoryId | None


class Relating:
    """For one batch. Statements are written together, as long as none of them is about one before it."""

    def __init__(
        self,
        tx: Tx,
        standing: Standing,
        account: Principal,
        batch: BatchId,
        verify: Verify,
        distiller: Distiller,
        vectors: Vectors,
    ) -> None:
        self._tx = tx
        self._standing = standing
        self._scope: ReadScope = account_scope(standing)
        self._account = account
        self._batch = batch
        self._verify = verify
        self._distiller = distiller
        self._vectors = vectors
        self._waiting: list[_Waiting] = []
        self._settled: dict[int, Settled] = {}

    async def run(self, statements: Sequence[Statement], proofs: Sequence[Proof]) -> list[Settled]:
        """What became of each, in order. Raises Conflict where somebody else wrote at this very moment: begin again."""
        for place, (statement, proof) in enumerate(zip(statements, proofs, strict=True)):
            await self._one(place, statement, proof, statements)
        await self._write(statements)
        return [self._settled[n] for n in range(len(statements))]

    async def _one(self, place: int, statement: Statement, proof: Proof, statements: Sequence[Statement]) -> None:
        known = await self._known(statement)
        relation = self._related(statement, known)
        waits = {w.known.id for w in self._waiting}
        if not isinstance(relation, New) and relation.memory in waits:
            await self._write(statements)
            known = await self._known(statement)
            relation = self._related(statement, known)
        match relation:
            case Same(memory):
                await self._tx.context.use([memory])
                self._settled[place] = Settled(statement, Became.REPEAT, memory)
            case New():
                self._wait(place, statement, proof, draft_of(statement, self._account, self._batch), None)
            case Updates(memory):
                old = next(k for k in known if k.id == memory)
                statement = replace(statement, fact=self._distiller.in_place_of(statement.fact, old))
                draft = updated(draft_of(statement, self._account, self._batch), old, relation, statement.said.id)
                if draft.content != statement.fact.text:  # there is no waiting for an embedder here: its job makes the vectors
                    ready = Prepared(index_terms(draft.content, None), (), pending=True)
                    statement = replace(statement, prepared=ready)
                self._wait(place, statement, proof, draft, memory)

    async def _known(self, statement: Statement) -> list[Known]:
        """Those of its project, and the general ones: what holds of which of them may not show in one sentence."""
        project = statement.said.project_id
        vector = statement.prepared.vectors[0] if statement.prepared.vectors else None
        stored = await self._tx.distillations.known(self._scope, project, vector, CANDIDATES)
        overturned = {w.old for w in self._waiting}
        mine = [w.known for w in reversed(self._waiting) if w.known.project_id in (None, project)]
        return [replace(k, recency=n) for n, k in enumerate([*mine, *(k for k in stored if k.id not in overturned)])]

    def _related(self, statement: Statement, known: Sequence[Known]) -> Relation:
        return self._distiller.relate(statement.fact, statement.said, known, self._vectors)

    def _wait(self, place: int, statement: Statement, proof: Proof, draft: Draft, old: MemoryId | None) -> None:
        fact = statement.fact
        vectors = statement.prepared.vectors
        known = Known(
            id=new_memory_id(),
            text=draft.content,
            memory_type=fact.memory_type,
            scope=Reach.GLOBAL if draft.project_id is None else Reach.PROJECT,
            project_id=draft.project_id,
            vector=vectors[0] if len(vectors) == 1 else None,
        )
        self._waiting.append(_Waiting(place, Incoming(draft, statement.prepared, proof), known, old))

    async def _write(self, statements: Sequence[Statement]) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        results = await self._written([w.incoming for w in waiting])
        # The first of an account makes its audience: those behind it see what it wrote.
        self._standing = await self._tx.directory.standing()
        self._scope = account_scope(self._standing)
        for w, first in zip(waiting, results, strict=True):
            statement = statements[w.place]
            result = await self._beside(w.incoming, statement) if isinstance(first, AudienceDiffers) else first
            if isinstance(result, Conflict):
                raise result
            if isinstance(result, WhoKnowsError):
                self._settled[w.place] = Settled(statement, None, None, fault=result)
            else:
                self._settled[w.place] = Settled(statement, Became(result.outcome), result.memory.id, result, None, w.old)

    async def _beside(self, incoming: Incoming, statement: Statement) -> Outcome | WhoKnowsError:
        """The older statement has other readers: both stand, and the new one says nothing of the words of the other."""
        draft, ready, own = incoming.draft, incoming.prepared, statement.fact.text
        if draft.content != own:
            ready = Prepared(index_terms(own, None), (), pending=True)
        draft = replace(draft, content=own, supersedes=None, reason=None)
        return (await self._written([replace(incoming, draft=draft, prepared=ready)]))[0]

    async def _written(self, incoming: list[Incoming]) -> list[Outcome | WhoKnowsError]:
        return await Writing(self._tx, self._standing, incoming, self._verify).run()


def draft_of(statement: Statement, account: Principal, batch: BatchId) -> Draft:
    """The statement as a memory of the account, with its sentence as quote and its message as source."""
    fact, said = statement.fact, statement.said
    return Draft(
        content=fact.text,
        account=account.name,
        category=fact.memory_type,
        project_id=_project(statement),
        source=f"message:{said.id}",
        quote=fact.quote,
        heard=said.content,
        batch=batch,
    )


def updated(draft: Draft, old: Known, relation: Updates, message: str) -> Draft:
    """The draft in the place of ``old``, with the reason in words."""
    chinese = is_wide(draft.content)
    if relation.lifts:
        reason = f"阻塞已解除，见消息 {message}" if chinese else f"the block is gone, says message {message}"
    elif relation.in_part:
        reason = f"消息 {message} 对其作了部分修改" if chinese else f"message {message} changes it in part"
    else:
        reason = f"消息 {message} 作了更新" if chinese else f"message {message} says what holds now"
    content = draft.content
    if relation.in_part:
        # What it leaves as it was stands in the old words alone.
        before = _stripped(old.text)
        content += f"（此前：{before}）" if chinese else f" (before: {before})"
    return replace(draft, content=content, supersedes=old.id, reason=reason)


def _stripped(text: str) -> str:
    """An older statement, without what stood beside it in its turn."""
    for mark in ("（此前：", " (before: "):
        text = text.partition(mark)[0]
    return text if len(text) <= _BEFORE else f"{text[:_BEFORE].rstrip()}…"


def _project(statement: Statement) -> str | None:
    return None if statement.fact.scope is Reach.GLOBAL else statement.said.project_id
