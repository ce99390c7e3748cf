"""Counting tokens."""

from typing import Protocol


class Tokenizer(Protocol):
    """``count`` is fast for texts that it has seen, may be called from several threads, and is 0 for an empty text."""

    @property
    def name(self) -> str:
        """What counts, for people. An upper bound says so."""
        ...

    def count(self, text: str) -> int: ...
