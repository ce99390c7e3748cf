"""Clusters: what says almost the same goes together, and nothing that a number, a name or a negation tells apart."""

import math
from collections.abc import Sequence
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.observation import Statement
from whoknows.gate.cluster import MOST, belongs, cluster, largest, medoid, say_the_same

WORDS = "the search index must be rebuilt by hand before a release"


def statement(n: int, text: str = WORDS, vector: Sequence[float] = (1.0, 0.0), **fields: object) -> Statement:
    given = {"audience": AudienceId(1), "project_id": None, "title": None, "version": 1, "content_hash": str(n)} | fields
    return Statement(id=MemoryId(UUID(int=n)), content=text, vector=tuple(vector), **given)  # pyright: ignore[reportArgumentType]


def at(degrees: float) -> tuple[float, float]:
    return math.cos(math.radians(degrees)), math.sin(math.radians(degrees))


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (statement(1), statement(2, "before a release the search index must be rebuilt by hand"), True),
        (statement(1), statement(2, audience=AudienceId(2)), False),
        (statement(1), statement(2, project_id="boss"), False),
        (statement(1), statement(2, vector=()), False),
        (statement(1, vector=()), statement(2), False),
        (statement(1), statement(2, vector=at(60)), False),
        (statement(1), statement(2, "lunch is served on another floor of this house"), False),
        (statement(1, WORDS + " 3"), statement(2, WORDS + " 4"), False),
        (statement(1), statement(2, WORDS.replace("must", "must not")), False),
        (statement(1, "run it"), statement(2, "run it!"), False),
        (statement(1, title="on port 80"), statement(2, title="on port 81"), False),
    ],
)
def test_what_belongs_together(one: Statement, other: Statement, together: bool) -> None:
    assert belongs(one, other) is together
    assert belongs(other, one) is together


def test_no_chain_links_strangers() -> None:
    seed, near, far = statement(1), statement(2, vector=at(15)), statement(3, vector=at(-15))
    assert belongs(seed, near)
    assert belongs(seed, far)
    assert not say_the_same(near, far)
    assert cluster(seed, [far, near]) == (seed, near)
    assert cluster(seed, [seed, near]) == (seed, near)


def test_a_cluster_is_bounded() -> None:
    assert len(cluster(statement(0), [statement(n) for n in range(1, 3 * MOST)])) == MOST


def test_the_largest_is_that_of_the_oldest() -> None:
    pair, three = [statement(n) for n in (1, 2)], [statement(n, vector=at(90)) for n in (3, 4, 5)]
    assert set(largest([*three, *pair])) == set(three)
    assert largest([statement(9), *pair])[0] == pair[0]
    assert largest([]) == ()


@given(st.permutations([statement(n, vector=at(a)) for n, a in ((1, 0), (2, 8), (3, 30), (4, 7))]))
def test_the_medoid_is_nearest_to_all_in_whatever_order_they_come(statements: list[Statement]) -> None:
    assert medoid(statements).id == MemoryId(UUID(int=2))


def test_without_vectors_the_words_decide_and_of_equals_the_oldest() -> None:
    plain = [statement(3, "rebuild the index", ()), statement(1, "rebuild the index by hand", ()), statement(2, "lunch", ())]
    assert medoid(plain).id == MemoryId(UUID(int=1))
    assert medoid([statement(7), statement(5), statement(6)]).id == MemoryId(UUID(int=5))
