"""The gateway of cases and their stage, where scripts come from, and who speaks for a role."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.case import Case, HitCard
from whoknows.domain.ids import CredentialId, MemoryId, TenantId
from whoknows.domain.script import Language, RoleText, Script
from whoknows.domain.stage import StageCard, StageEvent
from whoknows.policy.egress import EgressGrant
from whoknows.ports.embedder import Vector
from whoknows.ports.memories import IndexTerms
from whoknows.ports.records import Position


@dataclass(frozen=True, slots=True)
class NewCard:
    """A card of the beginning, with what both arms need: private to ``role``."""

    id: MemoryId
    role: str
    content: str
    tags: Sequence[str]
    content_hash: str
    dedupe_key: bytes
    index: IndexTerms
    vectors: Sequence[Vector]


class Cases(Protocol):
    """Cases. All but ``open`` is about the caller's own tenant; what is no case answers None or PermissionMissing."""

    async def open(
        self, name: str, credential: CredentialId, secret_hash: bytes, roles: Sequence[str], script: str, language: Language
    ) -> TenantId:
        """The tenant with its roles, board and operator's key. Cards are laid in the same transaction, up to ``begin``."""
        ...

    async def lay(self, tenant: TenantId, card: NewCard) -> None: ...
    async def begin(self, tenant: TenantId) -> None: ...
    async def clear(self) -> TenantId:
        """Delete everything that the case holds; cards may be laid again, up to ``begin``, in the same transaction."""
        ...

    async def close(self) -> None: ...
    async def find(self, name: str) -> Case | None:
        """The caller's own case; ``name`` is what it goes by."""
        ...

    async def note_inspection(self, route: str) -> None: ...
    async def make_show_key(self, credential: CredentialId, secret_hash: bytes, expires_at: datetime | None) -> None: ...
    async def tell_asked(self, known: bool, mode: AnswerMode, searched: Sequence[str]) -> None: ...
    async def board(self, limit: int) -> Sequence[StageCard]:
        """What is on the board, newest first, as everybody in the case may see it."""
        ...

    async def last_events(self) -> Sequence[StageEvent]:
        """The newest event of each role and of none, oldest first."""
        ...

    async def newest_event(self) -> UUID | None:
        """The event from which a stream goes on without missing any: nothing that is under way comes before it."""
        ...

    async def events_after(self, position: Position, limit: int) -> Sequence[tuple[Position, StageEvent]]: ...
    async def holds_back(self, position: Position) -> bool:
        """Whether there is an event after ``position`` whose turn comes when an older transaction has ended."""
        ...

    async def position(self, event: UUID | None) -> Position | None:
        """The place to go on from: that of an event, or the present; None where there is no such event any more."""
        ...


class Scripts(Protocol):
    def all(self) -> Sequence[Script]: ...
    def get(self, script: str) -> Script | None: ...


class RoleSpeaker(Protocol):
    """Says in a role's words what it knows: from the approved cards alone, and without any tool."""

    async def speak(
        self, grant: EgressGrant, role: RoleText, language: Language, question: str, cards: Sequence[HitCard]
    ) -> str:
        """What the role says. ``grant`` is the leave to send the question and the cards. Raises a ModelFault."""
        ...
