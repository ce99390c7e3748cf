"""The memory port of governed facts: two verbs, whatever the store behind them (C1, C29)."""

from collections.abc import Sequence
from typing import Protocol

from whoknows.domain.fact import Ingested, Recalled, VerifiedFact


class MemoryPort(Protocol):
    """The memory of one caller. Which banks it reads, and which one a fact goes to, is the boundary's to say, and not its own.

    An implementation passes ``tests/contract/test_memory_port.py``.
    """

    async def recall(
        self, query: str, *, min_score: float | None = None, project_id: str | None = None, limit: int = 10
    ) -> Sequence[Recalled]:
        """What the caller may know about ``query``, best first; nothing where nothing reaches the floor.

        ``min_score`` in [0, 1]: None is the store's own floor, 0 turns it off. ``project_id``: only facts of that project.
        How old a fact is orders what fits equally well, and leaves nothing out.
        """
        ...

    async def ingest(self, fact: VerifiedFact) -> Ingested:
        """Keep a fact whose quote stands in its source. The same words again are the same fact, with one more citation.

        Raises QuoteNotFound where it does not stand there, NotFound where the project is routed to no bank of the caller's,
        Forbidden where the caller only reads that bank; then nothing is kept.
        """
        ...
