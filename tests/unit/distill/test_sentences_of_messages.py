"""Sentences and units: what is cut apart, and what stays whole."""

import pytest

from whoknows.distill.exclude import excluded
from whoknows.distill.sentences import sentences
from whoknows.distill.units import lead, units


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("We use v4.2. It runs e.g. 3.5 mm deep... fine!", ["We use v4.2.", "It runs e.g. 3.5 mm deep...", "fine!"]),
        ("他说“不行。真的不行。”我不信", ["他说“不行。真的不行。”", "我不信"]),
        ("先称重；再入库。\n完", ["先称重；", "再入库。", "完"]),
        ("```py\na.b; c\n```\nend", ["```py\na.b; c\n```", "end"]),
        ("1. 甲\n2. 乙", ["甲", "乙"]),
        ("……！？", []),
        ("", []),
    ],
)
def test_sentences_are_cut_where_they_end_and_nowhere_else(text: str, parts: list[str]) -> None:
    assert [s.text for s in sentences(text)] == parts


def test_every_sentence_stands_where_it_says() -> None:
    text = "  - 第一条：周五发版。 Second one!\n\n第三 “a。b” 条"
    assert all(text[s.start : s.end] == s.text for s in sentences(text))


def test_a_text_without_an_end_is_cut_into_parts_that_can_be_read() -> None:
    assert max(len(s.text) for s in sentences("x" * 50_000)) <= 2000


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("有两件事：发票归小林管；合同放保险柜", 2),
        ("Two things: invoices go to Lin; contracts stay in the safe", 2),
        ("花房周一闭馆。另外，所有项目的周报都用表格", 2),
        ("花房周一闭馆，因为要消毒。消毒由园方做。", 1),
    ],
)
def test_what_is_announced_or_appended_is_a_unit_of_its_own(text: str, count: int) -> None:
    assert len(units(text, excluded(text))) == count


def test_what_only_leads_to_a_statement_is_no_part_of_it() -> None:
    text = "对了，顺便说一下，花房周一闭馆"
    assert text[lead(text) :] == "花房周一闭馆"
    assert lead("花房周一闭馆") == 0
    assert lead("好的") == 0  # nothing would be left
