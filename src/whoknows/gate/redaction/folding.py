"""A text as detectors read it: digits and letters of any width and style as ASCII, invisible characters left out."""

import re
import unicodedata
from dataclasses import dataclass

from whoknows.gate.redaction.spans import Hit

_ODD = re.compile(
    r"\x1b\[[0-9;]{0,16}[A-Za-z]|["
    "\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"  # invisible
    "\u00aa\u00b2\u00b3\u00b9\u00ba\u2010\u2011\u2070-\u209c\u2100-\u214f\u2460-\u24ff\uff01-\uff5e"  # of another style
    "\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u0e50-\u0e59"  # digits of other scripts
    "\U0001d400-\U0001d7ff\U0001f100-\U0001f1ff\U000e0000-\U000e007f]"
)
_KEPT = frozenset("，。；！？（）、")
"""Full-width punctuation ends a password as white space does; the narrow one may be a part of it."""
_DASHES = str.maketrans("\u2010\u2011", "--")
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/_=-]{8})\\?\r?\n[ \t]{0,8}(?=[A-Za-z0-9+/_=-]{4})")
"""A long word that goes on in the next line, as a terminal or a mail breaks it."""


@dataclass(frozen=True, slots=True)
class Folded:
    """``places[n]`` is where character n of ``text`` stood in the original; None where nothing was changed."""

    text: str
    places: tuple[int, ...] | None = None

    def original(self, hit: Hit) -> Hit:
        """The same place in the text that was folded."""
        if self.places is None:
            return hit
        return Hit(hit.kind, self.places[hit.start], self.places[hit.end - 1] + 1)

    def without_wraps(self) -> "Folded":
        """Lines that were broken within a long word joined again. Itself where there are none."""
        return _cut(self, [(m.start(), m.end(), "") for m in _WRAPPED.finditer(self.text)])


def folded(text: str) -> Folded:
    """``text`` for the detectors. ASCII stays as it is."""
    return _cut(Folded(text), [(m.start(), m.end(), _plain(m[0])) for m in _ODD.finditer(text)])


def _plain(odd: str) -> str:
    if odd in _KEPT:
        return odd
    if odd[0] == "\x1b" or unicodedata.category(odd) in ("Cf", "Mn"):
        return ""
    if odd.isdecimal():
        return str(unicodedata.decimal(odd))
    plain = unicodedata.normalize("NFKC", odd).translate(_DASHES)
    return plain if len(plain) == 1 else odd


def _cut(before: Folded, changes: list[tuple[int, int, str]]) -> Folded:
    if not changes:
        return before
    pieces: list[str] = []
    places: list[int] = []
    at = 0
    for start, end, instead in [*changes, (len(before.text), len(before.text), "")]:
        pieces += (before.text[at:start], instead)
        places += range(at, start)
        places += [start] * len(instead)
        at = end
    known = before.places
    return Folded("".join(pieces), tuple(places) if known is None else tuple(known[p] for p in places))
