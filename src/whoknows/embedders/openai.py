"""Any OpenAI-compatible embedding endpoint."""

from collections.abc import Sequence

from openai import AsyncOpenAI, OpenAIError

from whoknows.errors import DimensionMismatch, EmbedderUnavailable
from whoknows.ports import Vector

_BATCH = 64


class OpenAIEmbedder:
    def __init__(self, url: str, key: str, model: str, dimensions: int, timeout: float) -> None:
        """``timeout`` in seconds for one call; a call is tried twice."""
        self._client = AsyncOpenAI(base_url=url or None, api_key=key or "none", timeout=timeout, max_retries=1)
        self._model = model or "text-embedding-3-small"
        self._dimensions = dimensions

    @property
    def name(self) -> str:
        return f"openai:{self._model}"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def address(self) -> str:
        return str(self._client.base_url)

    async def embed_question(self, text: str) -> Vector:
        (vector,) = await self.embed_passages([text])
        return vector

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            part = list(texts[start : start + _BATCH])
            try:
                answer = await self._client.embeddings.create(model=self._model, input=part, encoding_format="float")
                found = [d.embedding for d in sorted(answer.data, key=lambda d: d.index)]
            except (OpenAIError, AttributeError, TypeError) as e:  # or an answer that is none
                raise EmbedderUnavailable(f"the embedding endpoint failed: {type(e).__name__}") from e
            if len(found) != len(part):
                raise EmbedderUnavailable(f"the embedding endpoint answered {len(found)} vectors for {len(part)} texts")
            vectors += [self._checked(v) for v in found]
        return vectors

    def _checked(self, vector: list[float]) -> Vector:
        if len(vector) != self._dimensions:
            raise DimensionMismatch(
                f"{self._model} answered with {len(vector)} dimensions, this installation expects {self._dimensions}: "
                "set WHOKNOWS_EMBEDDER_DIMENSIONS, or choose another model"
            )
        length = sum(x * x for x in vector) ** 0.5
        if not 0 < length < float("inf"):
            raise EmbedderUnavailable("the embedding endpoint answered with a vector of no length")
        return [x / length for x in vector]

    async def close(self) -> None:
        await self._client.close()
