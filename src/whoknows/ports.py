"""What the core needs from outside, as protocols: the store and its gateways, the embedder, the clock."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from whoknows.domain.audience import AudienceKey, Grant
from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.evidence import Evidence
from whoknows.domain.ids import AudienceId, CredentialId, MemoryId, PrincipalId, TenantId, TraceId
from whoknows.domain.memory import Filters, Memory, Version
from whoknows.domain.principal import Agent, AgentRole, Clearance, GateLevel, Kind, Member, Principal, Team, TeamRole
from whoknows.domain.trace import Trace
from whoknows.policy.standing import ReadScope, Standing
from whoknows.recall.hits import Card, DenseHit, LexicalArm, QuestionTerm

Vector = Sequence[float]
T = TypeVar("T")
Position = tuple[int, int]
"""A place in the stream of events: never shown, only compared."""


class Embedder(Protocol):
    """Texts to unit vectors of ``dimensions`` floats. Raises EmbedderUnavailable or DimensionMismatch."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    async def embed_question(self, text: str) -> Vector: ...
    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]: ...
    async def close(self) -> None: ...


class Clock(Protocol):
    def now(self) -> datetime: ...


@dataclass(frozen=True, slots=True)
class IndexTerms:
    """A text as the lexical arm stores it: term hashes (64 bit, signed), their frequencies, the length in terms, its script."""

    terms: Sequence[int]
    frequencies: Sequence[int]
    length: int
    wide: bool


@dataclass(frozen=True, slots=True)
class NewMemory:
    """A memory to be stored, with what both arms need. ``vectors`` is empty where a job will make them."""

    id: MemoryId
    audience: AudienceId
    author: PrincipalId
    content: str
    title: str | None
    category: str
    subject: str | None
    tags: Sequence[str]
    isolation: str
    project_id: str | None
    session_id: str | None
    task_id: str | None
    state: str
    supersedes: MemoryId | None
    reason: str | None
    content_hash: str
    dedupe_key: bytes
    dedupe_author: PrincipalId | None
    expires_at: datetime | None
    evidence: Sequence[Evidence]
    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool


@dataclass(frozen=True, slots=True)
class Edit:
    """The whole of a memory's text fields after an edit."""

    id: MemoryId
    version: int
    content: str
    title: str | None
    category: str
    subject: str | None
    tags: Sequence[str]
    expires_at: datetime | None
    reason: str | None
    content_hash: str
    dedupe_key: bytes
    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool
    reindex: bool


@dataclass(frozen=True, slots=True)
class DuplicateKey:
    """What W7 calls equal."""

    audience: AudienceId
    dedupe_key: bytes
    dedupe_author: PrincipalId | None
    project_id: str | None
    session_id: str | None
    expires_at: datetime | None


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    items: Sequence[T]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class EventRow:
    """One event: whitelisted fields, no text."""

    id: UUID
    kind: str
    memory_id: MemoryId
    at: datetime
    position: Position


@dataclass(frozen=True, slots=True)
class AuditRow:
    id: UUID
    at: datetime
    credential_id: UUID | None
    principal: str | None
    action: str
    target: str | None
    concerns: str | None
    detail: dict[str, Any]


class Memories(Protocol):
    """The memories of one transaction. Every read takes the scope first."""

    async def get(self, scope: ReadScope, memory: MemoryId) -> Memory | None: ...
    async def load(self, scope: ReadScope, memories: Sequence[MemoryId]) -> Sequence[Memory]:
        """Those of ``memories`` that are in scope, in the given order, with authors, evidence and what they overturned."""
        ...

    async def page(self, scope: ReadScope, filters: Filters, limit: int, cursor: str | None) -> Page[Memory]: ...
    async def history(self, scope: ReadScope, memory: MemoryId) -> Sequence[Version]: ...
    async def chain(self, scope: ReadScope, memory: MemoryId) -> Sequence[Memory]:
        """The visible memories of one chain of supersession, newest first."""
        ...

    async def duplicates(self, scope: ReadScope, keys: Sequence[DuplicateKey]) -> dict[DuplicateKey, MemoryId]: ...
    async def deletable(self, scope: ReadScope, filters: Filters) -> Sequence[MemoryId]: ...
    async def now(self) -> datetime:
        """The database's clock at the beginning of the transaction: by it memories expire."""
        ...

    async def audience(self, key: AudienceKey) -> AudienceId: ...
    async def add(self, memories: Sequence[NewMemory]) -> None: ...
    async def attribute(
        self, scope: ReadScope, memory: MemoryId, words: bytes, author: PrincipalId, evidence: Sequence[Evidence]
    ) -> None:
        """Join ``author`` to the memory of the same words; DuplicateMemory where it is gone, moved or edited since."""
        ...

    async def edit(self, scope: ReadScope, edit: Edit) -> bool:
        """False where ``edit.version`` is not the present version any more."""
        ...

    async def supersede(self, old: MemoryId, new: MemoryId, reason: str | None) -> bool: ...
    async def set_state(self, memory: MemoryId, state: str) -> bool: ...
    async def share(self, memory: MemoryId, reader: PrincipalId, given: bool) -> bool: ...
    async def forget(self, memories: Sequence[MemoryId], version: int | None = None) -> tuple[int, int]:
        """(deleted, released): rows removed, and rows that others wrote too, from which only one's own name was taken."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What the arms brought for one question: each arm's answer, or None where it was not asked, and the candidates' cards."""

    visible: int
    lexical: LexicalArm | None
    dense: tuple[DenseHit, ...] | None
    cards: Mapping[UUID, Card]
    exact: bool = True
    """False where HNSW answered the dense arm."""


class Arms(Protocol):
    """The two search arms. The scope comes first; the filter stands before ranking and limiting."""

    async def search(
        self, scope: ReadScope, terms: Sequence[QuestionTerm], vector: Vector | None, filters: Filters, limit: int
    ) -> Found:
        """Both arms over one snapshot. No terms: the lexical arm is not asked; no vector: the dense arm is not."""
        ...


class Directory(Protocol):
    """Who exists in the tenant, and who is what."""

    async def standing(self, session: str | None = None, all_sessions: bool = True) -> Standing: ...
    async def standing_of(self, principal: PrincipalId) -> Standing | None: ...
    async def find(self, kind: Kind, name: str) -> Principal | None: ...
    async def find_many(self, kind: Kind, names: Sequence[str]) -> dict[str, Principal]: ...
    async def grants_of(self, audiences: Sequence[AudienceId]) -> Sequence[Grant]: ...
    async def agents(self) -> Sequence[Agent]: ...
    async def members(self) -> Sequence[Member]: ...
    async def teams(self) -> Sequence[Team]: ...
    async def make_agent(
        self, name: str, role: AgentRole, parent: PrincipalId | None, account: PrincipalId | None, clearance: Clearance
    ) -> None: ...
    async def change_agent(
        self, agent: PrincipalId, role: AgentRole, parent: PrincipalId | None, account: PrincipalId | None, clearance: Clearance
    ) -> None: ...
    async def make_member(self, name: str, display_name: str | None) -> None: ...
    async def change_member(self, member: PrincipalId, display_name: str | None) -> None: ...
    async def make_team(self, name: str, display_name: str | None, gate: GateLevel, share_with_subagents: bool) -> None: ...
    async def change_team(
        self, team: PrincipalId, display_name: str | None, gate: GateLevel, share_with_subagents: bool
    ) -> None: ...
    async def remove(self, principal: PrincipalId) -> None: ...
    async def put_membership(self, team: PrincipalId, principal: PrincipalId, role: TeamRole) -> None: ...
    async def drop_membership(self, team: PrincipalId, principal: PrincipalId) -> bool: ...


class Credentials(Protocol):
    async def make(
        self,
        credential: CredentialId,
        secret_hash: bytes,
        acts_as: Sequence[PrincipalId],
        permissions: Sequence[Permission],
        task_id: str | None,
        expires_at: datetime | None,
    ) -> None: ...
    async def revoke(self, credential: CredentialId) -> bool: ...
    async def all(self) -> Sequence[Credential]: ...
    async def create_tenant(self, name: str, credential: CredentialId, secret_hash: bytes) -> TenantId: ...
    async def note_inspection(self, route: str) -> None: ...


class Records(Protocol):
    """Traces, events, audit, idempotency, and the writer's own pending work."""

    async def trace(self, scope: ReadScope, trace: TraceId) -> Trace | None: ...
    async def visible(self, scope: ReadScope, memories: Sequence[MemoryId]) -> frozenset[MemoryId]: ...
    async def events_after(self, scope: ReadScope, position: Position, limit: int) -> Sequence[EventRow]: ...
    async def position(self, event: UUID | None) -> Position:
        """The place to go on from: that of an event of the tenant, or the present. It is never shown."""
        ...

    async def audit(self, limit: int, cursor: str | None) -> Page[AuditRow]: ...
    async def pending_embeddings(self) -> int: ...
    async def remembered(
        self, tenant: TenantId, principal: PrincipalId, route: str, key: str, body_hash: str
    ) -> dict[str, Any] | None:
        """Claim an Idempotency-Key. None: it is new, go on. Else what was answered.

        Another body raises IdempotencyMismatch.
        """
        ...

    async def remember(self, principal: PrincipalId, route: str, key: str, answer: dict[str, Any]) -> None: ...


class Tx(Protocol):
    """One transaction. Leaving the block commits; an error undoes everything."""

    @property
    def memories(self) -> Memories: ...
    @property
    def arms(self) -> Arms: ...
    @property
    def directory(self) -> Directory: ...
    @property
    def credentials(self) -> Credentials: ...
    @property
    def records(self) -> Records: ...


@dataclass(frozen=True, slots=True)
class PendingEmbedding:
    memory: MemoryId
    version: int
    title: str | None
    content: str


class Jobs(Protocol):
    """What background work may do: complete accepted writes, and sweep."""

    async def pending(self, memory: MemoryId) -> PendingEmbedding | None: ...
    async def requeue(self) -> int: ...
    async def complete(self, memory: MemoryId, version: int, vectors: Sequence[Vector]) -> bool: ...
    async def failed(self, memory: MemoryId, fault: str) -> None: ...
    async def sweep(self, most: int) -> int: ...
    async def sweep_departed(self, grace_days: int) -> int: ...
    async def sweep_old(self, keep_days: int) -> None: ...
    async def settle_events(self) -> None: ...
    async def cached(self, key: str) -> Sequence[float] | None:
        """What was computed once for an embedder; it holds nobody's data."""
        ...

    async def cache(self, key: str, value: Sequence[float]) -> None: ...


class Store(Protocol):
    async def open(self) -> None: ...
    async def close(self) -> None: ...
    async def authenticate(self, secret_hash: bytes) -> Credential | None: ...
    def write(self, caller: Caller) -> AbstractAsyncContextManager[Tx]: ...
    def read(self, caller: Caller) -> AbstractAsyncContextManager[Tx]: ...
    def jobs(self) -> AbstractAsyncContextManager[Jobs]: ...
    async def add_trace(self, caller: Caller, trace: Trace) -> None:
        """A trace in a short transaction of its own, in one round trip."""
        ...

    async def answers(self) -> bool: ...
    def changes(self, tenant: TenantId) -> AsyncIterator[None]:
        """Wakes up after each commit that touched memories or rights of ``tenant``, on any instance; and now and then."""
        ...
