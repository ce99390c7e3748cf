"""Clusters: which statements say almost the same, and which of them says it best. Pure; texts and vectors in, an order out."""

from collections.abc import Iterable, Sequence
from operator import mul

from whoknows.domain.observation import Statement
from whoknows.gate.near import alike, differs
from whoknows.gate.quotes import LEAST, weight

NEAR = 0.95
"""Least cosine of two statements that may be one. Measured: docs/decisions/0018."""
ALIKE = 0.5
"""Least share of common words: vectors alone also bring together what is only about the same thing."""
MOST = 24
"""Statements of one cluster: what more of them say is known by then, and every pair of them is compared."""


def belongs(a: Statement, b: Statement) -> bool:
    """Whether two statements of one audience and project say almost the same."""
    return a.audience == b.audience and a.project_id == b.project_id and say_the_same(a, b)


def say_the_same(a: Statement, b: Statement, common: float = ALIKE) -> bool:
    """Whether two statements say almost the same, and differ neither in numbers, names nor negation (rules W7).

    ``common`` is the least share of common words.
    """
    return (
        _cosine(a, b) >= NEAR
        and alike(_whole(a), _whole(b)) >= common
        and differs(_whole(a), _whole(b)) is None
        and min(weight(a.content), weight(b.content)) >= LEAST
    )


def cluster(seed: Statement, others: Iterable[Statement]) -> tuple[Statement, ...]:
    """``seed`` and all of ``others`` that belong to each of them, the nearest first: no chain links strangers."""
    members = [seed]
    for other in sorted(others, key=lambda o: (-_cosine(seed, o), o.id)):
        if len(members) >= MOST:
            break
        if all(other.id != m.id and belongs(other, m) for m in members):
            members.append(other)
    return tuple(members)


def largest(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """The largest cluster among ``statements``; of several the one of the oldest. Empty where there is none at all."""
    found = [cluster(s, (o for o in statements if o.id != s.id)) for s in sorted(statements, key=lambda s: s.id)]
    return max(found, key=len, default=())


def medoid(statements: Sequence[Statement]) -> Statement:
    """The one that is nearest to all others; the oldest of several. Without vectors it is judged by the words."""
    near = _cosine if all(s.vector for s in statements) else _alike
    # Rounded: sums of the same numbers in another order are the same.
    return min(statements, key=lambda s: (-round(sum(near(s, o) for o in statements), 9), s.id))


def _alike(a: Statement, b: Statement) -> float:
    return alike(a.content, b.content)


def _cosine(a: Statement, b: Statement) -> float:
    return sum(map(mul, a.vector, b.vector))


def _whole(statement: Statement) -> str:
    return statement.content if statement.title is None else f"{statement.title}\n{statement.content}"
