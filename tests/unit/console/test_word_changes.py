"""What changed between two texts is told piece by piece, and nothing of either is lost."""

import pytest

from whoknows.console.word_changes import Piece, word_changes

PAIRS = [
    ("The harbour closes at nine.", "The harbour closes at ten sharp."),
    ("发布口令是蓝鲸计划", "发布口令改成了白鲸计划"),
    ("", "new"),
    ("old", ""),
    ("line one\nline two\r\n\tthree", "line two\n\n three  "),
    ("👩‍👩‍👧 a\u0301bc", "👩‍👩‍👧 abc"),
    ("same", "same"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_both_texts_can_be_put_together_again(before: str, after: str) -> None:
    pieces = word_changes(before, after)
    assert "".join(p.text for p in pieces if p.what != "added") == before
    assert "".join(p.text for p in pieces if p.what != "removed") == after


def test_a_word_that_changed_is_told_as_a_word_and_a_chinese_one_by_its_characters() -> None:
    assert word_changes("at nine", "at ten") == [Piece("kept", "at "), Piece("removed", "nine"), Piece("added", "ten")]
    assert word_changes("口令是蓝鲸", "口令是白鲸") == [
        Piece("kept", "口令是"), Piece("removed", "蓝"), Piece("added", "白"), Piece("kept", "鲸"),
    ]  # fmt: skip


def test_long_texts_are_compared_by_lines_and_the_longest_lines_as_one() -> None:
    lines = [f"a b c d {n}\n" for n in range(900)]
    changed = [*lines[:700], "something else\n", *lines[701:]]
    assert [p.text for p in word_changes("".join(lines), "".join(changed)) if p.what == "added"] == ["something else\n"]
    assert word_changes("ab" * 16_000, "ba" * 16_000) == [Piece("removed", "ab" * 16_000), Piece("added", "ba" * 16_000)]
    blank, other = "\n" * 9_000, "x\n" * 9_000
    assert word_changes(blank, other) == [Piece("removed", blank), Piece("added", other)]
