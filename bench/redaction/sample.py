"""A labelled text: what stands in it, and which parts are secrets."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """``secrets`` are the strings that must be gone; none: nothing may be taken."""

    corpus: str
    source: str
    text: str
    secrets: tuple[str, ...] = ()
