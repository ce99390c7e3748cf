"""Models of the `fastembed` extra (ONNX): other platforms, other sizes. It fetches its model at the first start."""

import asyncio
from collections.abc import Sequence
from typing import Any

from whoknows.errors import ConfigurationFault, EmbedderUnavailable
from whoknows.ports import Vector

_DEFAULT = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"
"""384 dimensions, 50 languages, and one that the library knows."""


class FastEmbedEmbedder:
    def __init__(self, model: str, dimensions: int) -> None:
        try:
            from fastembed import TextEmbedding  # pyright: ignore[reportMissingImports, reportUnknownVariableType]
        except ImportError as e:
            raise ConfigurationFault("install the extra: pip install 'whoknows[fastembed]'") from e
        self._name = model or _DEFAULT
        self._dimensions = dimensions
        try:
            self._model: Any = TextEmbedding(self._name)
        except Exception as e:  # the library raises whatever its downloader raises
            raise EmbedderUnavailable(f"fastembed cannot load {self._name}: {type(e).__name__}") from e

    @property
    def name(self) -> str:
        return f"fastembed:{self._name}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def address(self) -> None:
        return None

    async def embed_question(self, text: str) -> Vector:
        return (await asyncio.to_thread(self._embed, "query_embed", [text]))[0]

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        return await asyncio.to_thread(self._embed, "passage_embed", list(texts))

    def _embed(self, method: str, texts: list[str]) -> list[Vector]:
        try:
            return [_of_length_one([float(x) for x in v]) for v in getattr(self._model, method)(texts)]
        except Exception as e:  # as above
            raise EmbedderUnavailable(f"fastembed failed: {type(e).__name__}") from e

    async def close(self) -> None:
        return None


def _of_length_one(vector: list[float]) -> Vector:
    # Nearness is an inner product, and not every model of the library ends with this step.
    length = sum(x * x for x in vector) ** 0.5
    return [x / length for x in vector]
