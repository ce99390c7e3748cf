"""Outside: the embedder, and the clock."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

Vector = Sequence[float]


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
