"""Quotes: whether a text holds the words of a quote, character for character after NFKC and white-space folding, and where.

A run of white space is one blank. A single line break between two Han characters or kana is nothing at all: Chinese is wrapped
without a blank, and the same sentence on one line is the same sentence. Signs of Markdown are characters like any other.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

LEAST = 8
"""Letters and digits of a quote, a Han character or kana counting twice: "a" stands in every text, and proves nothing."""
MOST = 4000
"""Characters of a quote: what is longer is a copy, and conversations are never kept whole."""

_WIDE = "\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_WRAPPED = re.compile(f"[{_WIDE}\u3001-\u3004\uff01-\uff60]")
_TWICE = re.compile(f"[{_WIDE}]")
_BREAK = re.compile("\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_PLAIN = (
    "!-~\u00c0-\u0131\u0134-\u013e\u0141-\u0148\u014a-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u0482\u048a-\u052f"
    "\u2010\u2012-\u2016\u2018-\u2023\u2190-\u21ff\u3001-\u3029\u3041-\u3096\u30a1-\u30fe\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7a3\uff01-\uff5e"
)
"""Characters that NFKC leaves as they are or turns into exactly one, and that join nothing before them."""
_PIECES = re.compile(rf"(?P<plain>[{_PLAIN}]+(?: [{_PLAIN}]+)*(?![^{_PLAIN}\s]))|(?P<blank>\s+)|(?P<other>[^\s])")
_JOINS = re.compile("[\u1161-\u1175\u11a8-\u11c2\u3131-\u318e\uff9e-\uffdc]")
"""Beside the combining marks: letters of Hangul and marks of kana that become one with the letter before them."""
_MOST_JOINED = 30
"""As in the stream-safe format of UAX #15: a longer heap of marks is taken in parts, so that the time is that of its length."""
_MOST_HALVES = 1000
"""Places that begin or end in the middle of a character, such as the i of a ligature, before a quote counts as not found."""


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text, and for each of its pieces where it begins, there and in the original.

    Within a piece that is ``even`` each character stands for one of the original; of the others only the borders stand for
    something.
    """

    text: str
    starts: tuple[int, ...]
    origins: tuple[int, ...]
    ends: tuple[int, ...]
    even: tuple[bool, ...]

    def begins_at(self, place: int) -> int | None:
        """The character of the original that begins with the folded one at ``place``."""
        piece = bisect_right(self.starts, place) - 1
        into = place - self.starts[piece]
        if self.even[piece]:
            return self.origins[piece] + into
        # A spacing accent is a blank and its mark: a quote has no blank around it.
        return self.origins[piece] if into == 0 or (into == 1 and self.text[place - 1] == " ") else None

    def ends_at(self, place: int) -> int | None:
        """Where the character of the original ends whose last folded one stands before ``place``."""
        piece = bisect_right(self.starts, place - 1) - 1
        if self.even[piece]:
            return self.origins[piece] + place - self.starts[piece]
        last = len(self.text) if piece + 1 == len(self.starts) else self.starts[piece + 1]
        return self.ends[piece] if place == last else None


def folded(text: str) -> Folded:
    """``text`` in the form in which quotes are compared. The time is linear in its length."""
    said: list[str] = []
    starts: list[int] = []
    origins: list[int] = []
    ends: list[int] = []
    even: list[bool] = []
    place = 0
    for begin, end, form, is_plain in _pieces(text):
        kept = form[1:] if form.startswith(" ") and (not said or said[-1].endswith(" ")) else form
        if kept:
            said.append(kept)
            starts.append(place)
            origins.append(begin)
            ends.append(end)
            even.append(is_plain)
            place += len(kept)
    return Folded("".join(said), tuple(starts), tuple(origins), tuple(ends), tuple(even))


def fold(text: str) -> str:
    """The words of ``text`` as they are compared: NFKC, white space folded, none around them."""
    return folded(text).text.strip()


def quote_hash(quote: str) -> str:
    """SHA-256 of the folded form, in hexadecimal digits: equal for quotes that are equal."""
    return sha256(fold(quote).encode()).hexdigest()


def weight(quote: str) -> int:
    """How much a quote says: its letters and digits, Han characters and kana twice."""
    letters = [c for c in fold(quote) if c.isalnum()]
    return len(letters) + sum(1 for c in letters if _TWICE.match(c))


def find(quote: str, text: str, start: int = 0, end: int | None = None) -> tuple[int, int] | None:
    """Where ``quote`` stands first in ``text[start:end]``: (begin, end) in characters of ``text``; None where it does not.

    A place that would begin or end in the middle of a character does not count. An empty quote stands nowhere.
    """
    return find_in(fold(quote), folded(text[start:end]), start)


def find_in(words: str, source: Folded, start: int = 0) -> tuple[int, int] | None:
    """The same for a quote and a text that are folded already; ``start`` is added to the place."""
    at = -1 if not words else source.text.find(words)
    for _ in range(_MOST_HALVES):
        if at < 0:
            return None
        first, last = source.begins_at(at), source.ends_at(at + len(words))
        if first is not None and last is not None:
            return start + first, start + last
        at = source.text.find(words, at + 1)
    return None


def _pieces(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """(begin, end, folded form, whether character by character) of every piece of ``text``, in order."""
    at, size = 0, len(text)
    while at < size:
        found = _PIECES.match(text, at)
        assert found is not None
        end = found.end()
        if found["plain"]:
            yield at, end, unicodedata.normalize("NFKC", found["plain"]), True
        elif found["blank"]:
            if not _is_wrap(text, at, end):
                yield at, end, " ", False
        else:
            end = _joined(text, at)
            yield at, end, _one_blank(unicodedata.normalize("NFKC", text[at:end])), False
        at = end


def _joined(text: str, at: int) -> int:
    """Where the character at ``at`` ends, with the marks that belong to it."""
    end = at + 1
    while (
        end < len(text) and end - at <= _MOST_JOINED and (_JOINS.match(text[end]) or unicodedata.category(text[end])[0] == "M")
    ):
        end += 1
    return end


def _is_wrap(text: str, begin: int, end: int) -> bool:
    around = begin > 0 and end < len(text) and _WRAPPED.match(text[begin - 1]) and _WRAPPED.match(text[end])
    return bool(around) and len(_BREAK.findall(text, begin, end)) == 1


def _one_blank(form: str) -> str:
    return re.sub(r"\s+", " ", form)
