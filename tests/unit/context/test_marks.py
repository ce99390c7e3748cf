"""Marks: what asks to undo a higher layer is shown, what only sounds like it is not, and no text is changed."""

import re

import pytest
from sentences import HARMLESS, UNDOING

from whoknows.context.bundle import PartName
from whoknows.context.marks import marks_in
from whoknows.context.marks_chinese import CHINESE
from whoknows.context.marks_english import ENGLISH


@pytest.mark.parametrize("sentence", UNDOING)
def test_a_sentence_that_asks_to_undo_a_higher_layer_is_marked(sentence: str) -> None:
    marks = marks_in(PartName.USER_PROMPT, sentence)
    assert marks
    for mark in marks:
        start, end = mark.span
        assert 0 <= start < end <= len(sentence)
        assert mark.layer is PartName.USER_PROMPT
        assert mark.reason


@pytest.mark.parametrize("sentence", HARMLESS)
def test_a_sentence_that_only_sounds_like_it_is_not_marked(sentence: str) -> None:
    assert marks_in(PartName.CONVERSATION_PROMPT, sentence) == ()


def test_no_pattern_looks_for_a_word_without_an_end() -> None:
    """From each place of a text of one long word it would look to the end of it: hours for what is made to be hard."""
    for pattern in (*ENGLISH, *CHINESE):
        endless = re.findall(r"(?:\]|\\w|(?<!\\)\.)[+*]|\{\d*,\}", pattern.expression.pattern)
        assert endless == [], pattern.expression.pattern


def test_there_are_enough_sentences_in_both_languages() -> None:
    for sentences in (UNDOING, HARMLESS):
        chinese = [s for s in sentences if any("\u4e00" <= c <= "\u9fff" for c in s)]
        assert len(chinese) >= 20
        assert len(sentences) - len(chinese) >= 20
        assert len(set(sentences)) == len(sentences) >= 40
