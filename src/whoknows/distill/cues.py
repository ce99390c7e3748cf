"""Cues: words that say how a sentence is meant, in Chinese and in English, each list with the reason why it is looked at."""

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cue:
    """``why``: what the words say of a sentence. A cue is a hint to the classifier, which learns what it is worth; the few that
    decide by themselves are named in judge.py."""

    name: str
    why: str
    pattern: re.Pattern[str]

    def found(self, text: str) -> bool:
        return self.pattern.search(text) is not None


def cue(name: str, why: str, *, chinese: str = "", english: str = "") -> Cue:
    """``chinese`` and ``english`` are alternatives with ``|`` between them; English ones are whole words, in any case.

    White space at their ends is dropped, so that the alternatives may stand on several lines.
    """
    wide = "|".join(part.strip() for part in chinese.split("|"))
    words = "|".join(" ".join(part.split()).replace(" ", r"\s+").replace("'", "['’]?") for part in english.split("|"))
    both = [wide] if wide else []
    if words:
        both.append(rf"(?<![A-Za-z])(?:{words})(?![A-Za-z])")
    return Cue(name, why, re.compile("|".join(both), re.IGNORECASE))
