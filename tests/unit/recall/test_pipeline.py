"""The pipeline answers from what the arms bring and from nothing else; silence is an answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.recall.floor import DEFAULT_FLOOR, in_company
from whoknows.recall.fuse import fuse, idf, known_share
from whoknows.recall.hits import Arms, Background, Card, DenseArm, DenseHit, LexicalArm, LexicalHit, QuestionTerm
from whoknows.recall.pipeline import recall
from whoknows.recall.rank import NEAR_TIE, rank

NOON = datetime(2026, 1, 1, 12)
LEVEL = Background(narrow=0.30, wide=0.35, spread=0.02)
TERMS = (QuestionTerm("备份", 1.0), QuestionTerm("端口", 1.0))


def uid(n: int) -> UUID:
    return UUID(int=n)


def card(n: int, session: str | None = None, *, wide: bool = True, embedded: bool = True) -> Card:
    return Card(session, n, NOON + timedelta(minutes=n), wide, embedded)


def make(
    bm25: dict[int, float] | None,
    cosine: dict[int, float] | None,
    cards: dict[int, Card] | None = None,
    visible: int = 500,
) -> Arms:
    """Arms over `TERMS`, each in 10 of the visible texts; None for an arm that did not answer."""
    none: dict[int, float] = {}
    found: set[int] = {*(bm25 or none), *(cosine or none)}
    known = {uid(n): (cards[n] if cards and n in cards else card(n)) for n in sorted(found)}
    lexical = dense = None
    if bm25 is not None:
        hits = tuple(LexicalHit(uid(n), s) for n, s in sorted(bm25.items(), key=lambda kv: -kv[1]))
        lexical = LexicalArm(TERMS, (10, 10), visible, hits)
    if cosine is not None:
        near = tuple(DenseHit(uid(n), s) for n, s in sorted(cosine.items(), key=lambda kv: -kv[1]))
        dense = DenseArm(LEVEL, near)
    return Arms(True, visible, lexical, dense, known)


def order(arms: Arms) -> list[int]:
    return [hit.memory.int for hit in recall(arms, limit=100, floor=0.0).hits]


def test_a_hit_of_both_arms_is_first_and_above_the_floor() -> None:
    result = recall(make({1: 8.0, 2: 3.0}, {1: 0.58, 3: 0.45}), limit=5)
    assert result.hits[0].memory == uid(1)
    assert result.hits[0].score >= DEFAULT_FLOOR
    assert result.arms == ("lexical", "dense")


def test_nothing_near_and_no_word_in_common_is_silence() -> None:
    result = recall(make({}, {1: 0.40, 2: 0.39}), limit=5)
    assert result.hits == ()
    assert {(d.memory.int, d.reason) for d in result.dropped} == {(1, "below_floor"), (2, "below_floor")}


def test_no_candidates_is_silence() -> None:
    assert recall(make({}, {}), limit=5).hits == ()
    assert recall(make(None, None), limit=5).arms == ()


@pytest.mark.parametrize("cosine", [None, {}])
def test_words_alone_answer_while_the_embedder_is_down(cosine: dict[int, float] | None) -> None:
    result = recall(make({1: 8.0, 2: 0.4}, cosine), limit=5)
    assert [hit.memory.int for hit in result.hits] == [1]
    assert result.hits[0].cosine is None


def test_nearness_alone_answers_where_the_question_has_no_words() -> None:
    result = recall(make(None, {1: 0.60, 2: 0.34}, visible=500), limit=5)
    assert [hit.memory.int for hit in result.hits] == [1]
    assert result.arms == ("dense",)


def test_a_memory_without_vectors_is_found_by_its_words_beside_others_that_have_them() -> None:
    arms = make({1: 9.0}, {2: 0.42, 3: 0.41}, {1: card(1, embedded=False)})
    assert recall(arms, limit=5).hits[0].memory == uid(1)


def test_the_limit_names_what_it_cuts() -> None:
    result = recall(make(dict.fromkeys(range(1, 5), 8.0), dict.fromkeys(range(1, 5), 0.6)), limit=2)
    assert len(result.hits) == 2
    assert [d.reason for d in result.dropped] == ["beyond_limit"] * 2


def test_a_floor_of_the_caller_replaces_the_default_for_each_hit() -> None:
    arms = make({1: 8.0, 2: 2.0}, {1: 0.58, 2: 0.42})
    assert len(recall(arms, limit=5, floor=0.0).hits) == 2
    assert recall(arms, limit=5, floor=1.0).hits == ()


def test_the_turn_beside_a_strong_one_is_lifted() -> None:
    cards = {n: card(n, "s1") for n in (4, 5)} | {9: card(9, "s2")}
    arms = make({5: 8.0}, {5: 0.55, 4: 0.40, 9: 0.41}, cards)
    assert order(arms) == [5, 4, 9]
    lent = {hit.memory.int: hit.neighbour for hit in recall(arms, limit=9, floor=0.0).hits}
    assert lent[4] == uid(5)
    assert lent[9] is None


def test_memories_without_a_session_have_no_neighbours() -> None:
    arms = make({5: 8.0}, {5: 0.55, 4: 0.40, 9: 0.41})
    assert order(arms) == [5, 9, 4]


def test_of_two_equal_memories_the_newer_is_first() -> None:
    arms = make({1: 6.0, 2: 6.0}, {1: 0.5, 2: 0.5})
    assert order(arms) == [2, 1]


def test_recency_never_overturns_a_clear_difference() -> None:
    ranked = rank(fuse(make({1: 8.0, 2: 4.0}, {1: 0.5, 2: 0.5})), {uid(1): card(1), uid(2): card(2)})
    assert [r.candidate.memory.int for r in ranked] == [1, 2]
    assert ranked[0].strength - ranked[1].strength > NEAR_TIE


def test_a_text_of_another_script_is_measured_from_its_own_level() -> None:
    level = Background(narrow=0.20, wide=0.40, spread=0.02)
    arms = make({}, {1: 0.45, 2: 0.42}, {1: card(1), 2: card(2, wide=False)})
    assert arms.dense is not None
    arms = replace(arms, dense=replace(arms.dense, background=level))
    assert order(arms) == [2, 1]


def test_idf_of_a_tiny_world_still_tells_known_words_from_unknown() -> None:
    assert idf(1, 0) > idf(1, 1) > 2.0
    arm = LexicalArm(TERMS, (1, 0), 1, ())
    assert 0.3 < known_share(arm) < 0.5


lists = st.dictionaries(st.integers(1, 40), st.floats(0.01, 12), max_size=30)
near = st.dictionaries(st.integers(1, 40), st.floats(0.2, 0.9), max_size=30)


@given(lists, near, st.integers(-10_000_000, 10_000_000))
def test_scores_and_order_do_not_depend_on_the_clock(bm25: dict[int, float], cosine: dict[int, float], by: int) -> None:
    arms = make(bm25, cosine)
    later = {m: replace(c, created_at=c.created_at + timedelta(seconds=by)) for m, c in arms.cards.items()}
    assert recall(arms, limit=100, floor=0.0) == recall(replace(arms, cards=later), limit=100, floor=0.0)


@given(lists, near, st.lists(st.integers(100, 200), max_size=5))
def test_cards_of_what_no_arm_found_change_nothing(bm25: dict[int, float], cosine: dict[int, float], others: list[int]) -> None:
    arms = make(bm25, cosine)
    more = {**arms.cards, **{uid(n): card(n) for n in others}}
    assert recall(arms, limit=9) == recall(replace(arms, cards=more), limit=9)


@given(lists, near)
def test_scores_are_within_bounds_and_never_rise_down_the_list(bm25: dict[int, float], cosine: dict[int, float]) -> None:
    scores = [hit.score for hit in recall(make(bm25, cosine), limit=100, floor=0.0).hits]
    assert all(0.0 <= score <= 1.0 for score in scores)
    assert scores == sorted(scores, reverse=True)


@given(lists, near)
def test_every_candidate_is_returned_or_dropped_with_a_reason_once(bm25: dict[int, float], cosine: dict[int, float]) -> None:
    result = recall(make(bm25, cosine), limit=3)
    seen = [hit.memory.int for hit in result.hits] + [d.memory.int for d in result.dropped]
    assert sorted(seen) == sorted({*bm25, *cosine})
    assert len(result.hits) <= 3


@given(st.floats(0.1, 12), st.floats(0.25, 0.85), st.floats(0, 4), st.floats(0, 0.1), st.integers(1, 100_000))
def test_more_words_and_more_nearness_never_lower_the_score(
    bm25: float, cosine: float, words: float, nearer: float, visible: int
) -> None:
    def best(b: float, c: float) -> float:
        return recall(make({1: b}, {1: c}, visible=visible), limit=1, floor=0.0).hits[0].score

    assert best(bm25 + words, cosine + nearer) >= best(bm25, cosine)


@given(lists, near)
def test_more_texts_in_sight_never_make_the_same_hit_surer(bm25: dict[int, float], cosine: dict[int, float]) -> None:
    few = recall(make(bm25, cosine, visible=100), limit=1, floor=0.0).hits
    arms = make(bm25, cosine, visible=100)
    many = recall(replace(arms, visible=100_000), limit=1, floor=0.0).hits
    assert all(a.score >= b.score for a, b in zip(few, many, strict=True))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_company_never_lifts_the_best_score(scores: list[float]) -> None:
    strengths = [1.0 - i / 50 for i in range(len(scores))]
    lifted = in_company(scores, strengths)
    assert lifted[0] == max(scores)
    assert all(a >= b for a, b in zip(lifted, scores, strict=True))
