"""What was overturned leads to what holds instead, and moves nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from whoknows.recall.hits import Arms, Background, Card, DenseArm, DenseHit, Former, LexicalArm, LexicalHit, QuestionTerm
from whoknows.recall.pipeline import recall

NOON = datetime(2026, 1, 1, 12)
OLD, NEW, OTHER, LAST = (UUID(int=n) for n in (1, 2, 3, 4))
TERMS = (QuestionTerm("harbour", 1.0), QuestionTerm("locker", 1.0))
ARMS = Arms(
    wide_question=False,
    visible=200,
    lexical=LexicalArm(TERMS, (5, 5), 200, (LexicalHit(OTHER, 4.0), LexicalHit(NEW, 1.0))),
    dense=DenseArm(Background(0.30, 0.35, 0.02), (DenseHit(OTHER, 0.45), DenseHit(NEW, 0.36), DenseHit(LAST, 0.35))),
    cards={memory: Card(None, 0, NOON, wide=False) for memory in (NEW, OTHER, LAST)},
)
FOUND = Former(OLD, NEW, bm25=8.0, cosine=0.52, wide=False)


def test_what_a_text_said_that_was_overturned_is_answered_by_what_holds_instead() -> None:
    before = recall(ARMS, limit=5, floor=0.0).hits
    after = recall(replace(ARMS, former=(FOUND,)), limit=5, floor=0.0).hits
    assert [h.memory for h in before] == [OTHER, NEW, LAST]
    assert [h.memory for h in after] == [NEW, OTHER, LAST]
    assert (after[0].former, after[0].bm25, after[0].cosine) == (OLD, 8.0, 0.52)
    assert after[0].score > before[1].score
    assert [h.former for h in after[1:]] == [None, None]


def test_what_is_current_keeps_its_own_place_where_that_is_better() -> None:
    weak = replace(FOUND, leads_to=OTHER, bm25=0.5, cosine=0.36)
    after = recall(replace(ARMS, former=(weak,)), limit=5, floor=0.0).hits
    assert after == recall(ARMS, limit=5, floor=0.0).hits


def test_a_successor_that_no_arm_found_comes_once_however_many_texts_lead_to_it() -> None:
    lone = UUID(int=9)
    many = tuple(Former(UUID(int=20 + n), lone, 2.0 + n, None if n == 0 else 0.5, wide=False) for n in range(4))
    after = recall(replace(ARMS, former=many), limit=5, floor=0.0).hits
    assert [h.memory for h in after].count(lone) == 1
    assert after[0].former == UUID(int=23)


def test_the_figures_of_what_is_current_are_as_if_nothing_had_been_overturned() -> None:
    def own(arms: Arms) -> dict[UUID, tuple[float | None, float | None]]:
        return {h.memory: (h.bm25, h.cosine) for h in recall(arms, limit=5, floor=0.0).hits if h.former is None}

    after = own(replace(ARMS, former=(FOUND,)))
    assert after == {m: f for m, f in own(ARMS).items() if m != NEW}


def test_words_alone_are_followed_where_vectors_are_missing() -> None:
    silent = replace(ARMS, dense=None, former=(replace(FOUND, cosine=None),))
    assert recall(silent, limit=5, floor=0.0).hits[0].former == OLD
