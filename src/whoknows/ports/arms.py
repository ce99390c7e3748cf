"""The gateway of the two search arms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from whoknows.domain.memory import Filters
from whoknows.policy.standing import ReadScope
from whoknows.ports.embedder import Vector
from whoknows.recall.hits import Card, DenseHit, Former, LexicalArm, QuestionTerm


@dataclass(frozen=True, slots=True)
class Found:
    """What the arms brought for one question: each arm's answer, or None where it was not asked, and the candidates' cards."""

    visible: int
    lexical: LexicalArm | None
    dense: tuple[DenseHit, ...] | None
    cards: Mapping[UUID, Card]
    exact: bool = True
    """False where HNSW answered the dense arm."""
    former: tuple[Former, ...] = ()
    """What was overturned and what holds instead, where the reader may see both."""


class Arms(Protocol):
    """The two search arms. The scope comes first; the filter stands before ranking and limiting."""

    async def search(
        self, scope: ReadScope, terms: Sequence[QuestionTerm], vector: Vector | None, filters: Filters, limit: int
    ) -> Found:
        """Both arms over one snapshot. No terms: the lexical arm is not asked; no vector: the dense arm is not."""
        ...
