"""The making of patterns that look for text which asks to undo a higher layer: what they are, and how they are written."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

IGNORE = "asks to ignore a higher layer"
REPLACE = "asks to replace a higher layer"
ABOVE = "claims to stand above a higher layer"
UNBOUND = "says that a higher layer does not bind"
POSES = "poses as a higher layer"


@dataclass(frozen=True, slots=True)
class Pattern:
    """``forbidden``: it does not count where it is negated ("do not …") or reported ("if somebody asks you to …")."""

    expression: re.Pattern[str]
    reason: str
    forbidden: bool


def any_of(*alternatives: str) -> str:
    """One of ``alternatives``, each words with ``|`` between them."""
    return f"(?:{'|'.join(alternatives)})"


def patterns(words: Mapping[str, str], written: Sequence[tuple[str, str, bool]]) -> tuple[Pattern, ...]:
    """Compiled. ``<name>`` stands for one of ``words``, a blank for any white space, a blank with ``?`` for none too."""
    return tuple(Pattern(compiled(text, words), reason, forbidden) for text, reason, forbidden in written)


def compiled(text: str, words: Mapping[str, str]) -> re.Pattern[str]:
    for name, part in words.items():
        text = text.replace(f"<{name}>", part)
    return re.compile(text.replace(" ?", r"\s*").replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE)
