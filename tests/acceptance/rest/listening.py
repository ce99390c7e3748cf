"""A double of an embedder that remembers what it was given."""

from collections.abc import Sequence

from whoknows.ports import Vector
from worlds import HashEmbedder


class Listener(HashEmbedder):
    """An embedder that remembers what it was given."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    async def embed_question(self, text: str) -> Vector:
        self.heard.append(text)
        return await super().embed_question(text)

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.heard += texts
        return await super().embed_passages(texts)
