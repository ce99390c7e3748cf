"""Earlier turns: the newest that fit, whole, and never more than their share."""

from hypothesis import given
from hypothesis import strategies as st

from whoknows.context.history import TURN_TOKENS, recent

TURNS = [(f"q{n}", f"a{n}") for n in range(5)]


def test_all_stay_where_there_is_room() -> None:
    assert recent(TURNS, 1000, len) == (TURNS, 5 * (4 + 2 * TURN_TOKENS))


def test_the_oldest_go_first_and_whole() -> None:
    kept, cost = recent(TURNS, 2 * (4 + 2 * TURN_TOKENS), len)
    assert (kept, cost) == (TURNS[3:], 2 * (4 + 2 * TURN_TOKENS))


def test_behind_one_that_has_no_room_nothing_older_comes_back() -> None:
    kept, _ = recent([("short", "x"), ("long" * 100, "y"), ("new", "z")], 100, len)
    assert kept == [("new", "z")]


def test_nothing_fits_into_nothing() -> None:
    assert recent(TURNS, 0, len) == ([], 0)
    assert recent([], 100, len) == ([], 0)


@given(st.lists(st.tuples(st.text(max_size=50), st.text(max_size=50)), max_size=20), st.integers(0, 500))
def test_what_is_kept_is_the_end_and_costs_no_more_than_the_share(turns: list[tuple[str, str]], most: int) -> None:
    kept, cost = recent(turns, most, len)
    assert cost == sum(len(q) + len(a) + 2 * TURN_TOKENS for q, a in kept) <= most
    assert list(kept) == turns[len(turns) - len(kept) :]
