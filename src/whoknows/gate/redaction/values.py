"""Where a value begins and ends: a string in quotes, or all up to the next white space without what closes a sentence."""

import re
from dataclasses import dataclass

_OPENING = re.compile(r"@?(?:\\?[\"'`]|&quot;|[<\[(](?=[\"'`]))*")
_BARE = re.compile(r"[!-~]*")
_ENDS = re.compile(r"&(?=\w{1,30}=)|%26|&quot;|&lt;|</|\\[nrt](?![A-Za-z0-9])|[\"'`](?=[,;)}\s\]]|$)|[;,](?=\w+=|$)")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_SEEN = 512
"""Characters by which a long value is judged; the whole of it goes."""


@dataclass(frozen=True, slots=True)
class Value:
    """``seen``: the value, or the beginning of a long one."""

    start: int
    end: int
    seen: str
    quoted: bool


def value_at(text: str, at: int) -> Value:
    """The value that begins at ``at``, or behind the quotes there. Empty where there is none in ASCII."""
    begin = end_of(_OPENING, text, at)
    quote = text[begin - 1] if begin > at else ""
    if quote and quote in "\"'`":
        close = text.find(quote, begin, begin + 4 * _SEEN)
        if close != -1 and "\n" not in text[begin:close]:
            end = close - 1 if text[close - 1] == "\\" else close
            return Value(begin, end, text[begin : min(end, begin + _SEEN)], quoted=True)
    end = end_of(_BARE, text, begin)
    seen = _trimmed(text[begin : min(end, begin + _SEEN)])
    return Value(begin, end if len(seen) == _SEEN else begin + len(seen), seen, quoted=False)


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where ``pattern``, which matches everywhere if only nothing, ends at ``at``."""
    found = pattern.match(text, at)
    assert found is not None
    return found.end()


def _trimmed(value: str) -> str:
    end = _ENDS.search(value)
    cut = value if end is None else value[: end.start()]
    while cut and (cut[-1] in ",.;:\"'`" or (cut[-1] in _PAIRS and cut.count(cut[-1]) > cut.count(_PAIRS[cut[-1]]))):
        cut = cut[:-1]
    return cut
