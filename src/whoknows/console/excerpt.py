"""Excerpts: lines of a source, and where in them a quote stands."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.provenance import Line
from whoknows.gate.quotes import find


@dataclass(frozen=True, slots=True)
class Shown:
    """One line. ``parts`` are its text in order, each with whether it belongs to the quote; ``is_quoted``: one of them does."""

    number: int
    parts: tuple[tuple[str, bool], ...]

    @property
    def is_quoted(self) -> bool:
        return any(marked for _, marked in self.parts)


def shown(lines: Sequence[Line], quote: str | None, quoted: tuple[int, int] | None) -> tuple[Shown, ...]:
    """``lines`` with the quote marked to the character; where redaction changed its words, its ``quoted`` lines whole."""
    text = "\n".join(line.text for line in lines)
    place = None if quote is None else find(quote, text, *_within(lines, quoted))
    at = 0
    result: list[Shown] = []
    for line in lines:
        end = at + len(line.text)
        if place is not None:
            span = max(at, place[0]) - at, min(end, place[1]) - at
        else:
            whole = quoted is not None and quoted[0] <= line.number <= quoted[1]
            span = (0, len(line.text)) if whole else (0, 0)
        result.append(Shown(line.number, _parts(line.text, *span)))
        at = end + 1
    return tuple(result)


def _within(lines: Sequence[Line], quoted: tuple[int, int] | None) -> tuple[int, int | None]:
    """From where to where in the joined text the quote is looked for: words may stand a second time beside it."""
    if quoted is None:
        return 0, None
    begin = sum(len(line.text) + 1 for line in lines if line.number < quoted[0])
    return begin, begin + sum(len(line.text) + 1 for line in lines if quoted[0] <= line.number <= quoted[1]) - 1


def _parts(text: str, begin: int, end: int) -> tuple[tuple[str, bool], ...]:
    if end <= begin:
        return ((text, False),)
    parts = ((text[:begin], False), (text[begin:end], True), (text[end:], False))
    return tuple(p for p in parts if p[0])
