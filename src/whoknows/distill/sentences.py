"""A message into its sentences: Chinese and English, with code, quotations and numbers kept whole."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_WHOLE = re.compile(
    r"(?P<block>```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z))"
    r"|`[^`\n]{1,300}`"
    r"|https?://[^\s，。；、）]+"
    r"|(?P<said>“[^”\n]{1,200}”|「[^」\n]{1,200}」|『[^』\n]{1,200}』|《[^》\n]{1,80}》"
    r"|(?<![\w\"])\"[^\"\n]{1,200}\"(?![\w\"]))"
    r"|（[^）\n]{1,80}）|\([^)\n]{1,80}\)"
    r"|\b(?:e\.g|i\.e|etc|vs|approx|no|dr|mr|mrs|ms|prof|st|a\.m|p\.m|fig|cf|resp|inc|ltd)\.(?=\s+\S)"
    r"|^[ \t]*\d{1,2}\.(?=\s)"
    r"|(?<!\d)\d++(?:[.,:]\d++)+|(?<![\w-])[\w-]++\.[A-Za-z0-9]{1,8}\b|\bv?\d++\.\d+",
    re.DOTALL | re.IGNORECASE | re.MULTILINE,
)
_END = re.compile(r"(?:[。！？!?；;…]+|\.{2,}|\.(?=[\s\"”’)]|$))[\"”’」』）)\]]*|\n+", re.MULTILINE)
_MARK = re.compile(
    r"[ \t]*(?:[-*•·>]|#{1,6}|\(?\d{1,2}[.)、]|[（(][一二三四五六七八九十\d]{1,2}[)）])[ \t]+|[ \t]*\d{1,2}[、）)]"
)
_EMPTY = re.compile(r"[\W_]*")
_LONGEST = 2000
"""Characters of one sentence; more without an end is no prose, and is cut there."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """``text`` stands in the message from ``start`` to ``end``."""

    text: str
    start: int
    end: int


def sentences(text: str) -> list[Sentence]:
    """The sentences of ``text``, in order; what holds no letter and no digit is none."""
    return list(_trimmed(text, _spans(text)))


def _spans(text: str) -> Iterator[tuple[int, int]]:
    kept = list(_WHOLE.finditer(text))
    at = start = 0
    for hit in _END.finditer(text):
        while at < len(kept) and kept[at].end() <= hit.start():
            at += 1
        inside = at < len(kept) and kept[at].start() <= hit.start()
        # A quotation may end its sentence with its own full stop: 他说：“不行。”
        if inside and not (kept[at].lastgroup in ("said", "block") and hit.end() >= kept[at].end()):
            continue
        yield from _pieces(start, hit.end())
        start = hit.end()
    yield from _pieces(start, len(text))


def _pieces(start: int, end: int) -> Iterator[tuple[int, int]]:
    for at in range(start, end, _LONGEST):
        yield at, min(end, at + _LONGEST)


def _trimmed(text: str, spans: Iterator[tuple[int, int]]) -> Iterator[Sentence]:
    for start, end in spans:
        mark = _MARK.match(text, start, end)
        first = mark.end() if mark else start
        while first < end and text[first].isspace():
            first += 1
        last = end
        while last > first and text[last - 1].isspace():
            last -= 1
        if _EMPTY.fullmatch(text, first, last) is None:
            yield Sentence(text[first:last], first, last)
