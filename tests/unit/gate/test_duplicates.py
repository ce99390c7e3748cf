"""Same words: width, case, white space and the width of punctuation do not count; numbers, names and negations do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.gate.duplicates import dedupe_key, same_words

SAME = [
    ("DGIA", "ＤＧＩＡ"),
    ("DGIA", "dgia"),
    ("DGIA", "  DGIA\n"),
    ("DGIA", "D\u200bGIA"),
    ("端口是 5433。", "端口是 ５４３３."),
    ("部署窗口：周二，周四", "部署窗口:周二, 周四"),
    ("好，吗？", "好, 吗?"),
    ("他说「可以」", '他说"可以"'),
    ("a  b\tc", "a b c"),
    ("Straße", "STRASSE"),
    ("①号机", "1号机"),
]
DIFFERENT = [
    ("端口是 5433", "端口是 5432"),
    ("部署窗口是周二", "部署窗口是周四"),
    ("可以发布", "不可以发布"),
    ("ab c", "a bc"),
    ("foo.bar", "foo. bar"),
    ("C", "C++"),
    ("x-y", "xy"),
    ("", "."),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_the_same_words_are_one(one: str, other: str) -> None:
    assert dedupe_key(one) == dedupe_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_other_words_are_another(one: str, other: str) -> None:
    assert dedupe_key(one) != dedupe_key(other)


def test_a_title_belongs_to_the_words_and_is_no_part_of_the_text() -> None:
    assert dedupe_key("text", "title") == dedupe_key("TEXT", "Title")
    assert dedupe_key("text", "title") != dedupe_key("text")
    assert dedupe_key("a", "b") != dedupe_key("b", "a")
    assert dedupe_key("b", "a") != dedupe_key("a b")


@given(st.text())
def test_the_compared_form_is_stable(text: str) -> None:
    once = same_words(text)
    assert same_words(once) == once


@given(st.text())
def test_a_key_has_sixteen_bytes_whatever_the_text(text: str) -> None:
    assert len(dedupe_key(text)) == 16


@given(
    st.text(alphabet=st.characters(categories=["Lu", "Ll", "Nd", "Lo"]), min_size=1),
    st.sampled_from(["\t", "  ", "\n", "\u3000"]),
)
def test_white_space_around_and_its_kind_do_not_count(word: str, space: str) -> None:
    assert dedupe_key(f"{space}{word}{space}{word}") == dedupe_key(f"{word} {word}")
