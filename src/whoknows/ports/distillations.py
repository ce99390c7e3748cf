"""The gateway of distillations."""

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from whoknows.domain.conversation import MessageId
from whoknows.domain.distillation import (
    BatchId,
    Distillation,
    Distilling,
    HeardMessage,
    KeptFact,
    NewDistillation,
    Place,
    Undone,
)
from whoknows.domain.distilled import Known
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.ports.paging import Page


class Distillations(Protocol):
    """Those of one account: the member's own, for a main agent those of the member that it works for."""

    async def begin(self, new: NewDistillation) -> None:
        """A new batch. Until the end of the transaction no other distils for the account. Forbidden where there is none."""
        ...

    async def heard(self, words: Sequence[bytes]) -> frozenset[bytes]:
        """Those of ``words`` that were heard before, in a batch that was not undone."""
        ...

    async def followed(self, pairs: Sequence[bytes]) -> frozenset[bytes]:
        """Those of ``pairs`` that were heard before: a message behind the one before it."""
        ...

    async def last(self, project: str) -> Place | None:
        """Where the messages of ``project`` go on; None where none was heard."""
        ...

    async def known(self, scope: ReadScope, project: str | None, vector: Vector | None, limit: int) -> Sequence[Known]:
        """Current memories of ``project`` and general ones that a fact may be about: the nearest to ``vector``, and those
        written or changed last; ``limit`` of each at most."""
        ...

    async def record(self, batch: BatchId, messages: Sequence[HeardMessage], facts: Sequence[KeptFact]) -> None: ...
    async def page(self, limit: int, cursor: str | None) -> Page[Distillation]:
        """Newest first."""
        ...

    async def get(self, batch: BatchId) -> Distillation | None: ...
    async def messages(self, batch: BatchId) -> Sequence[HeardMessage]: ...
    async def facts(self, batch: BatchId) -> Sequence[KeptFact]: ...
    async def of_messages(self, messages: Sequence[MessageId]) -> Sequence[KeptFact]:
        """What was kept of messages of chat, in batches that were not undone."""
        ...

    async def undo(self, batch: BatchId) -> Undone | None:
        """None where there is no such batch; nothing more the second time."""
        ...

    async def distilling(self, project: str | None) -> Distilling: ...
    async def set_distilling(self, project: str | None, automatic: bool | None) -> None:
        """None takes the word back."""
        ...

    async def mute(self, message: MessageId) -> None:
        """This turn is not to be distilled."""
        ...

    async def settle(self, message: MessageId, claim: UUID, heard: str | None) -> bool:
        """The turn is done with this transaction. False where another did it, or the conversation is gone, or
        the answer that was ``heard``, by its id."""
        ...
