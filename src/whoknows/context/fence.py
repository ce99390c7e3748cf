"""Fences: a text from memory stands between two lines of backticks that nothing inside it can close."""

import re

_LEAST = 3
_RUN = re.compile("`+")
_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Line breaks of every kind, and the other controls."""


def fenced(text: str, label: str, least: int = _LEAST) -> str:
    """``text`` as data, word for word, between fences; ``label`` (one line) stands on the first.

    The fence is longer than any run of backticks inside, so no line of the text can be its end. A label that holds backticks
    or line breaks is made one line without them: whoever names things cannot open or close a fence either. ``least`` is the
    length of a shorter fence, where something else asks for more.
    """
    fence = "`" * max(_LEAST, least, 1 + longest_run(text))
    return f"{fence}{one_line(label)}\n{text}\n{fence}"


def longest_run(text: str) -> int:
    """How many backticks stand next to each other in ``text`` at most."""
    return max((len(run) for run in _RUN.findall(text)), default=0)


def one_line(label: str) -> str:
    """``label`` without line breaks and backticks, for the line on which a fence begins."""
    return _BREAKS.sub(" ", label).replace("`", "'")
