"""Marks: places in a lower prompt that ask to undo a higher one. Nothing is changed by them; a person is shown where they are.

Patterns, not understanding: a hint, never a guard. What keeps a lower layer from changing a higher one is that layers are only
ever appended (rules C1).
"""

from collections.abc import Iterator

from whoknows.context.bundle import Mark, PartName
from whoknows.context.marks_chinese import CHINESE, CHINESE_NEGATED, CHINESE_REPORTED
from whoknows.context.marks_english import ENGLISH, ENGLISH_NEGATED, ENGLISH_REPORTED

_EXCUSES = (ENGLISH_NEGATED, ENGLISH_REPORTED, CHINESE_NEGATED, CHINESE_REPORTED)
_WINDOW = 60
"""Characters before a hit in which a negation or a report ("if somebody asks you to …") is looked for."""


def marks_in(layer: PartName, text: str) -> tuple[Mark, ...]:
    """The places in the text of ``layer``, in their order; of places that overlap, the first and longest."""
    if layer is PartName.GLOBAL_PROMPT:  # nothing stands above it
        return ()
    marks: list[Mark] = []
    for start, end, reason in sorted(_found(text), key=lambda f: (f[0], -f[1])):
        if not marks or start >= marks[-1].span[1]:
            marks.append(Mark(layer, (start, end), reason))
    return tuple(marks)


def _found(text: str) -> Iterator[tuple[int, int, str]]:
    for pattern in (*ENGLISH, *CHINESE):
        for hit in pattern.expression.finditer(text):
            before = text[max(0, hit.start() - _WINDOW) : hit.start()]
            if not (pattern.forbidden and any(e.search(before) for e in _EXCUSES)):
                yield hit.start(), hit.end(), pattern.reason
