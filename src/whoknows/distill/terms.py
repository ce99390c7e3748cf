"""The words of a text as numbers: words, pairs of words and pairs of characters, hashed into a fixed number of columns."""

import re
import zlib
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import rjieba

from whoknows.distill.signals import Numbers
from whoknows.recall.tokens import normal

COLUMNS = 2048
"""Two words may share one; with so many columns it was not to be measured."""
_RUN = re.compile(r"[\u3400-\u9fff]+|[a-z]+(?:'[a-z]+)?|\d+")
_LONGEST = 4000
"""Characters that are read."""


def terms(text: str) -> Numbers:
    """A vector of length 1 over the hashed terms of ``text``, each counted once; all numbers are one. Shape (COLUMNS,)."""
    row = np.zeros(COLUMNS, np.float32)
    for term in dict.fromkeys(_terms(normal(text[:_LONGEST]).casefold().replace("’", "'"))):
        code = zlib.crc32(term.encode())
        row[code % COLUMNS] += 1.0 if code & 0x80000000 else -1.0
    length = float(np.linalg.norm(row))
    return row / length if length else row


def _terms(text: str) -> Iterator[str]:
    last: str | None = None
    for run in _RUN.finditer(text):
        word = run.group()
        if word[0] >= "\u3400":
            yield from rjieba.cut(word)
            yield from ("_" + a + b for a, b in pairwise(word))
            last = None
        elif word.isdigit():
            yield "#"
        else:
            yield word
            if last is not None:
                yield f"{last} {word}"
            last = word
