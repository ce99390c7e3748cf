"""What changed between two texts, in pieces that a page can show: kept, added, removed."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

_PIECE = re.compile(r"\s+|[\w'’-]+|.", re.DOTALL)
_WIDE = re.compile(r"([\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff])")
_MOST = 2_000
"""Pieces of both texts that are compared one by one; longer texts are compared line by line."""


@dataclass(frozen=True, slots=True)
class Piece:
    what: Literal["kept", "added", "removed"]
    text: str


def word_changes(before: str, after: str) -> list[Piece]:
    """All of both texts, in order: what was removed stands before what was added in its place."""
    old, new = _pieces(before), _pieces(after)
    if len(old) + len(new) > _MOST:
        old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    if len(old) + len(new) > _MOST:
        old, new = [before], [after]
    found: list[Piece] = []
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            found.append(Piece("kept", "".join(old[a:b])))
            continue
        if b > a:
            found.append(Piece("removed", "".join(old[a:b])))
        if d > c:
            found.append(Piece("added", "".join(new[c:d])))
    return found


def _pieces(text: str) -> list[str]:
    """Words; where words are not set apart, characters."""
    return [p for word in _PIECE.findall(text) for p in _WIDE.split(word) if p]
