"""Aim a question: its vector as the dense arm searches with it, and the background it is measured against."""

import asyncio

from whoknows.errors import DimensionMismatch
from whoknows.ports import Embedder, Vector
from whoknows.recall.background import COHORT_NARROW, COHORT_WIDE, Aimed, Cohort


class Aim:
    """Embeds questions. The cohort is embedded once, before the first question or by :meth:`warm`."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._cohort: Cohort | None = None
        self._lock = asyncio.Lock()

    async def __call__(self, question: str) -> Aimed:
        """Raises EmbedderUnavailable or DimensionMismatch."""
        cohort = self._cohort or await self.warm()
        return cohort.aim(_checked(await self._embedder.embed_question(question), self._embedder))

    async def warm(self) -> Cohort:
        async with self._lock:
            if self._cohort is None:
                wide = await self._embedder.embed_passages(COHORT_WIDE)
                narrow = await self._embedder.embed_passages(COHORT_NARROW)
                self._cohort = Cohort.of(list(wide), list(narrow))
        return self._cohort


def _checked(vector: Vector, embedder: Embedder) -> Vector:
    if len(vector) != embedder.dimensions:
        raise DimensionMismatch(f"{embedder.name} answered with {len(vector)} dimensions instead of {embedder.dimensions}")
    return vector
