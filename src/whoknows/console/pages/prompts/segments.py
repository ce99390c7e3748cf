"""A composed context cut into segments, each with its origin: put side by side again they are that text, byte for byte."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from whoknows.context.bundle import SEPARATOR, Bundle, Dropped, Part, PartName

_CAUSES = (
    ("no_room", re.compile(r"no room was left for it")),
    ("too_long", re.compile(r"too long: (?P<tokens>\d+) tokens, and there was room for (?P<room>-?\d+)")),
    ("cut", re.compile(r"cut at its end: (?P<tokens>\d+) tokens, and there was room for (?P<room>-?\d+)")),
    ("same_words", re.compile(r"the same words as (?P<twin>.+)", re.DOTALL)),
    ("egress", re.compile(r"egress_forbidden: (?P<bank>.+) keeps its texts on this machine", re.DOTALL)),
)


@dataclass(frozen=True, slots=True)
class Segment:
    """``memory``: its id, where the segment is one. ``begins``: the first of its part, which has ``part_tokens``."""

    part: PartName
    text: str
    tokens: int
    memory: str | None = None
    begins: bool = False

    @property
    def exactly(self) -> Markup:
        """For a page, so that it is the same text there: a browser would make other line breaks its own."""
        return escape(self.text).replace("\r", Markup("&#13;"))


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something was left out, as a word and its figures. ``key`` is None for a reason that is not known here."""

    dropped: Dropped
    key: str | None
    figures: dict[str, str]


def segments_of(bundle: Bundle) -> list[Segment]:
    """In their order. A separator belongs to the segment before it."""
    parts = [p for p in bundle.parts if p.text]
    segments: list[Segment] = []
    for n, part in enumerate(parts):
        of_part = _of_part(part)
        if n < len(parts) - 1:
            last = of_part[-1]
            of_part[-1] = Segment(last.part, last.text + SEPARATOR, last.tokens, last.memory, last.begins)
        segments += of_part
    return segments


def causes_of(dropped: Sequence[Dropped]) -> list[Cause]:
    return [_cause(d) for d in dropped]


def _of_part(part: Part) -> list[Segment]:
    """The memories of a part each by itself, and before them the line that says what they are."""
    segments: list[Segment] = []
    at = 0
    for n, item in enumerate(part.items):
        start = part.text.index(item.text, at)
        end = start + len(item.text)
        if n == 0 and start:
            segments.append(Segment(part.name, part.text[:start], part.tokens, begins=True))
            at = start
        end = part.text.index(part.items[n + 1].text, end) if n + 1 < len(part.items) else len(part.text)
        segments.append(Segment(part.name, part.text[at:end], item.tokens, memory=item.id, begins=not segments))
        at = end
    return segments or [Segment(part.name, part.text, part.tokens, begins=True)]


def _cause(dropped: Dropped) -> Cause:
    for key, expression in _CAUSES:
        found = expression.fullmatch(dropped.why)
        if found:
            return Cause(dropped, key, found.groupdict())
    return Cause(dropped, None, {})
