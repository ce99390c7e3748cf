"""The budget: how many tokens each part may have, and a text cut down to what is left."""

from collections.abc import Callable
from dataclasses import dataclass

from whoknows.context.bundle import PartName

Count = Callable[[str], int]
"""Tokens of a text."""

SHARES: tuple[tuple[PartName, int], ...] = (
    (PartName.USER_PROMPT, 50),
    (PartName.CONVERSATION_PROMPT, 25),
    (PartName.RUNTIME, 5),
    (PartName.PROJECT_MEMORIES, 12),
    (PartName.USER_MEMORIES, 8),
)
"""Hundredths of the budget, in the order in which they are given out. What a part leaves goes to the next one, so that a lower
layer never takes room from a higher prompt. The memories of project and user divide all that comes to them in the proportion of
their shares; what one of them leaves, the other may have."""

CUT = "\n[… 提示词超出预算，在此截断 · cut here: over the budget …]"
"""Stands where a prompt was cut."""


@dataclass(frozen=True, slots=True)
class Budget:
    """``shared``: tokens of parts 2 to 6 together. ``limit``: tokens of the whole context.

    The global prompt and the message are never cut and take nothing of what is shared; if they alone exceed the limit, that is
    an error, and if they come near it, the others get what is left.
    """

    shared: int
    limit: int


def shares(tokens: int) -> dict[PartName, int]:
    """``tokens`` given out by SHARES; what rounding leaves is the last one's."""
    given = {name: tokens * hundredths // 100 for name, hundredths in SHARES}
    last = SHARES[-1][0]
    given[last] += tokens - sum(given.values())
    return given


def project_room(tokens: int) -> int:
    """What the memories of the project may have of the ``tokens`` for both kinds of memories."""
    hundredths = dict(SHARES)
    project, user = hundredths[PartName.PROJECT_MEMORIES], hundredths[PartName.USER_MEMORIES]
    return tokens * project // (project + user)


def cut(text: str, most: int, count: Count) -> str:
    """The longest beginning of ``text`` that has ``most`` tokens with CUT at its end; empty where not even that fits."""
    if count(CUT.strip()) > most:
        return ""
    low, high, best = 0, len(text), ""
    middle = len(text) * most // max(1, count(text))  # near the end of the search for most texts
    while low <= high:
        candidate = text[:middle] + CUT
        if count(candidate) <= most:
            best, low = candidate, middle + 1
        else:
            high = middle - 1
        middle = (low + high) // 2
    return best
