"""Distillations: batches in which a conversation became memory, what was heard in each, and what was kept."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b
from typing import NewType
from uuid import UUID

from whoknows.domain.conversation import ConversationId, MessageId
from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId, TenantId, uuid7
from whoknows.domain.principal import Principal

BatchId = NewType("BatchId", UUID)


def new_batch_id() -> BatchId:
    return BatchId(uuid7())


def words_of(project_id: str, message_id: str, content: str) -> bytes:
    """16 bytes by which a message that was heard before is known again: its project, its id and its words."""
    whole = f"{len(project_id)}:{project_id}{len(message_id)}:{message_id}{content}"
    return blake2b(whole.encode(), digest_size=16).digest()


class Became(StrEnum):
    """What became of a fact."""

    STORED = "stored"
    MERGED = "merged"
    SUPERSEDING = "superseding"
    HELD = "held"
    REPEAT = "repeat"
    """A memory says it already."""


@dataclass(frozen=True, slots=True)
class NewDistillation:
    """``conversation``: of a turn of it, by itself. ``by_model``: a language model found the facts, or some of them."""

    id: BatchId
    project_id: str
    conversation: ConversationId | None
    by_model: bool


@dataclass(frozen=True, slots=True)
class Distillation:
    """A batch as it stands. ``kept`` counts the facts of which there is a memory today."""

    id: BatchId
    project_id: str
    made_by: Principal
    conversation: ConversationId | None
    by_model: bool
    at: datetime
    undone_at: datetime | None
    heard: int
    kept: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where the messages of a project go on: a hash of what was said last, and whether that was written, or led to by what was
    (flows/replays.py)."""

    tail: bytes | None
    stirred: bool


@dataclass(frozen=True, slots=True)
class HeardMessage:
    """A message of a batch. ``skipped`` says in a word why nothing was kept of it; None where something was.

    ``pair``: a hash of it and of what was said before it; ``place``: where the next one goes on.
    """

    message_id: str
    words: bytes
    skipped: str | None
    pair: bytes | None = None
    place: Place = Place(None, False)


@dataclass(frozen=True, slots=True)
class KeptFact:
    """A fact of a batch, by the memory that holds it."""

    message_id: str
    memory: MemoryId
    became: Became
    quote_hash: str


@dataclass(frozen=True, slots=True)
class Undone:
    """``deleted``: memories that the batch had written. ``restored``: those that it had overturned, current again.

    ``released``: memories that the batch had written and that stay, because others said it too or a hand has changed them.
    """

    deleted: int
    restored: int
    released: int


@dataclass(frozen=True, slots=True)
class Distilling:
    """Whether turns of chat are distilled by themselves: as the account says, and as it says for a project (None: nothing)."""

    account: bool | None
    project: bool | None

    @property
    def automatic(self) -> bool:
        if self.project is not None:
            return self.project
        return True if self.account is None else self.account


@dataclass(frozen=True, slots=True)
class ClaimedTurn:
    """A turn of chat that is this process's to distil for a while, as the one who asked, with that key."""

    message: MessageId
    claim: UUID
    tenant: TenantId
    account: PrincipalId
    credential: CredentialId
    conversation: ConversationId
    project_id: str
    asked_by: Principal
