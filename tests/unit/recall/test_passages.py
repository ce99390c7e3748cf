"""A long text is cut at its own borders; nothing is lost, and no passage is too heavy."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from whoknows.recall.passages import INLINE_LIMIT, OVERLAP_WEIGHT, PASSAGE_WEIGHT, is_inline, passages, weight

LONG = "".join(f"第{i}条：今天我们讨论了数据库的端口配置问题，决定使用新的方案。\n" for i in range(60))


def test_a_short_text_is_one_passage() -> None:
    (only,) = passages("  保险箱密码是 7391\n")
    assert only.text == "保险箱密码是 7391"
    assert (only.start, only.end) == (2, 13)


def test_white_space_has_no_passage() -> None:
    assert passages(" \n\t ") == ()


def test_a_long_text_is_cut_at_sentences_into_even_parts() -> None:
    parts = passages(LONG)
    assert len(parts) > 10
    assert all(part.text.startswith("第") and part.text.endswith("。") for part in parts)
    heavy = [weight(part.text) for part in parts[1:-1]]
    assert max(heavy) < 2 * min(heavy)


def test_neighbouring_passages_share_a_sentence_where_it_fits() -> None:
    sentences = "".join(f"第{i}句话很短。" for i in range(100))
    parts = passages(sentences)
    assert all(a.end > b.start for a, b in pairwise(parts))


def test_only_short_texts_are_embedded_while_they_are_written() -> None:
    assert is_inline("a" * int(INLINE_LIMIT / 0.4 - 1))
    assert not is_inline("保" * (INLINE_LIMIT + 1))


def test_a_text_without_any_border_is_cut_all_the_same() -> None:
    parts = passages("x" * 20_000)
    assert all(weight(part.text) <= PASSAGE_WEIGHT + OVERLAP_WEIGHT for part in parts)


@given(st.text(alphabet=st.sampled_from("保密abc 。.\n，, x"), max_size=3000))
def test_passages_cover_the_text_and_stay_within_the_limit(text: str) -> None:
    covered: set[int] = set()
    for part in passages(text):
        assert text[part.start : part.end] == part.text
        assert part.text.strip() == part.text != ""
        assert weight(part.text) <= PASSAGE_WEIGHT + OVERLAP_WEIGHT
        covered |= set(range(part.start, part.end))
    assert all(char.isspace() for i, char in enumerate(text) if i not in covered)
