"""The order in which memories are offered: used lately, tag hits, score."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from whoknows.context.choose import RECENT, Candidate, choose, gathered, occurs

NOW = datetime(2026, 1, 31, tzinfo=UTC)


def identity(n: int) -> UUID:
    return UUID(int=n)


def test_used_lately_comes_first_then_tag_hits_then_score() -> None:
    candidates = [
        Candidate(identity(1), 0.9),
        Candidate(identity(2), 0.1, tags=("部署",)),
        Candidate(identity(3), 0.0, last_used=NOW),
        Candidate(identity(4), 0.0, last_used=NOW - timedelta(days=1)),
        Candidate(identity(5), 0.5, tags=("预算",)),
    ]
    assert [i.int for i in choose(candidates, "部署什么时候开始？")] == [3, 4, 2, 1, 5]


def test_what_was_used_together_is_ordered_by_score() -> None:
    used = [Candidate(identity(n), n / 10, last_used=NOW) for n in range(1, 6)]
    assert [i.int for i in choose(used, "x")] == [5, 4, 3, 2, 1]


def test_what_was_used_once_does_not_keep_all_places_for_ever() -> None:
    used = [Candidate(identity(n), 0.0, last_used=NOW) for n in range(1, 40)]
    best = Candidate(identity(99), 0.9)
    assert choose([*used, best], "x").index(best.id) == RECENT


def test_equal_candidates_stay_in_the_given_order() -> None:
    assert [i.int for i in choose([Candidate(identity(n)) for n in (3, 1, 2)], "x")] == [3, 1, 2]


def test_one_memory_found_in_several_ways_is_one_candidate() -> None:
    pooled = [Candidate(identity(1), 0.0, None, ("a",)), Candidate(identity(1), 0.0, NOW, ()), Candidate(identity(2))]
    (one, two) = gathered({identity(1): 0.4}, pooled)
    assert one == Candidate(identity(1), 0.4, NOW, ("a",))
    assert two == Candidate(identity(2))


@pytest.mark.parametrize(
    ("tag", "text", "hit"),
    [
        ("部署", "今天部署吗", True),
        ("部署", "今天发布吗", False),
        ("Go", "we use go here", True),
        ("go", "this is good", False),
        ("c++", "in c++ we trust", True),
        ("CI", "ci失败了", True),
        ("release-1", "release-12 is out", False),
        (".net", "asp.net core", True),
    ],
)
def test_a_tag_stands_in_a_text_as_a_word(tag: str, text: str, hit: bool) -> None:
    assert occurs(tag, text) is hit
