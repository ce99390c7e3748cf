"""Aim a question: its vector as the dense arm searches with it, and the background it is measured against."""

import asyncio
import hashlib
from collections.abc import Sequence
from itertools import chain

from whoknows.domain.credential import Caller
from whoknows.domain.egress import Cleared
from whoknows.errors import DimensionMismatch, EmbedderUnavailable
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.prepare import checked
from whoknows.policy.egress import nobodys
from whoknows.ports import Embedder, Store, Vector
from whoknows.recall.background import COHORT_NARROW, COHORT_WIDE, Aimed, Cohort


class Aim:
    """Embeds questions. The cohort is embedded once for an embedder and kept in the database: it takes half a second."""

    def __init__(self, store: Store, embedder: Embedder, egress: Egress) -> None:
        self._store = store
        self._egress = egress
        self._embedder = embedder
        self._cohort: Cohort | None = None
        self._lock = asyncio.Lock()

    async def __call__(self, question: Cleared) -> Aimed:
        """Raises EmbedderUnavailable or DimensionMismatch."""
        cohort = self._cohort or await self.warm()
        return cohort.aim(checked(await self._embedder.embed_question(question), self._embedder))

    async def attempt(self, caller: Caller, question: str) -> tuple[Aimed | None, str | None]:
        """The same; or None and why, in a word, where the embedder fails or the asker's words may not leave for it.

        Then words alone find what they can.
        """
        text = await self._egress.question(caller, question)
        if text is None:
            return None, FORBIDDEN
        try:
            return await self(text), None
        except (EmbedderUnavailable, DimensionMismatch) as fault:
            return None, fault.code

    async def warm(self) -> Cohort:
        async with self._lock:
            if self._cohort is None:
                vectors = await self._vectors((*COHORT_WIDE, *COHORT_NARROW))
                self._cohort = Cohort.of(vectors[: len(COHORT_WIDE)], vectors[len(COHORT_WIDE) :])
        return self._cohort

    async def _vectors(self, texts: Sequence[str]) -> list[Vector]:
        size = self._embedder.dimensions
        key = hashlib.sha256("\n".join((self._embedder.name, str(size), *texts)).encode()).hexdigest()
        async with self._store.jobs() as jobs:
            kept = await jobs.cached(key)
        if kept is not None and len(kept) == size * len(texts):
            return [kept[n : n + size] for n in range(0, len(kept), size)]
        vectors = [checked(v, self._embedder) for v in await self._embedder.embed_passages([nobodys(t) for t in texts])]
        async with self._store.jobs() as jobs:
            await jobs.cache(key, list(chain.from_iterable(vectors)))
        return vectors
