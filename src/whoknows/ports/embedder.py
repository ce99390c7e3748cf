"""Outside: the embedder, and the clock."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from whoknows.domain.egress import Cleared

Vector = Sequence[float]


class Embedder(Protocol):
    """Texts to unit vectors of ``dimensions`` floats. Raises EmbedderUnavailable or DimensionMismatch."""

    @property
    def name(self) -> str: ...
    @property
    def dimensions(self) -> int: ...
    @property
    def address(self) -> str | None:
        """Where texts are sent; None where it computes within this process."""
        ...

    async def embed_question(self, text: Cleared) -> Vector: ...
    async def embed_passages(self, texts: Sequence[Cleared]) -> Sequence[Vector]: ...
    async def close(self) -> None: ...


class Clock(Protocol):
    def now(self) -> datetime: ...
