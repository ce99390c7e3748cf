"""Texts and questions become the same terms, whatever script, width or case they are written in."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.recall.tokens import MAX_QUESTION_TERMS, PAIR_WEIGHT, is_wide, question_terms, text_terms

B26 = "GitHub备份脚本上传失败，原因是SSH密钥过期；支付服务已回滚"


def asked(question: str) -> set[str]:
    return {term.text for term in question_terms(question)}


@pytest.mark.parametrize("question", ["备份", "密钥过期", "支付服务", "GitHub", "SSH", "为什么回滚支付服务"])
def test_every_query_of_case_b26_finds_its_text(question: str) -> None:
    assert asked(question) & set(text_terms(B26))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("C盘", "C盘空间不足，请清理"),
        ("API配置", "网关的API配置在昨天改过"),
        ("预发 数据库 端口", "预发环境数据库端口是 5433"),
        ("保险箱的密码是多少？", "保险箱密码是 7391"),
        ("5433", "预发环境数据库端口是5433。"),
        ("checkout v2", "Feature flag checkout_v2 is on"),
        ("checkout_v2", "Feature flag checkout_v2 is on"),
        ("備份", "备份脚本"),
        ("what did she paint", "Melanie: I painted a sunrise"),
        ("Caroline's dog", "Caroline has a dog"),
        ("C++", "the parser is written in C++"),
        ("回滚", "支付服务已回滚"),  # the segmenter cuts 已回/滚 here
    ],
)
def test_a_question_shares_a_term_with_the_text_that_answers_it(question: str, text: str) -> None:
    assert asked(question) & set(text_terms(text))


def test_words_glued_to_another_script_are_found_by_themselves() -> None:
    assert {"github", "备份", "脚本"} <= set(text_terms("GitHub备份脚本"))


def test_a_question_of_function_words_has_no_terms() -> None:
    assert question_terms("who are you?") == ()
    assert question_terms("这是什么？") == ()
    assert question_terms("  ") == ()


def test_a_pair_that_is_no_word_weighs_less_than_a_word() -> None:
    weights = {term.text: term.weight for term in question_terms("支付服务")}
    assert weights["支付"] == weights["服务"] == 1.0
    assert weights["付服"] == PAIR_WEIGHT


def test_no_pair_is_made_across_a_particle() -> None:
    assert not {"的密", "箱的", "码是"} & asked("保险箱的密码是多少")


def test_a_vague_date_meets_an_exact_one() -> None:
    for text in ("2025-03-22 短信", "2025年3月22日", "on 22 March 2025", "March 22nd, 2025"):
        assert {"@03", "@03c"} <= asked("3月下旬") & set(text_terms(text)) | {"@03"} & set(text_terms(text))
        assert asked("3月下旬") <= set(text_terms(text))
    assert not asked("3月上旬") <= set(text_terms("2025-03-22"))
    assert "@2025-03" in asked("2025年3月") & set(text_terms("2025-03-22"))


def test_a_version_is_no_date() -> None:
    assert not any(term.startswith("@") for term in text_terms("release 2024.31 and 10.0.3"))


def test_a_long_question_keeps_its_words_and_loses_pairs() -> None:
    question = "数据库迁移脚本在预发环境执行失败之后由值班工程师负责回滚支付服务并且通知客户经理更新发布计划" * 3
    terms = question_terms(question)
    assert len(terms) <= MAX_QUESTION_TERMS
    assert [term.weight for term in terms] == sorted((term.weight for term in terms), reverse=True)


def test_a_text_of_a_third_han_is_wide() -> None:
    assert is_wide("GitHub备份脚本上传失败")
    assert is_wide("2025-03-22 08:20:15 短信")
    assert not is_wide("The word 猫 means cat in Chinese")
    assert not is_wide("")


@given(st.text(alphabet=st.characters(min_codepoint=33, max_codepoint=126), max_size=80))
def test_full_width_equals_half_width(text: str) -> None:
    full = "".join(chr(ord(c) + 0xFEE0) for c in text)
    assert text_terms(full) == text_terms(text)


@given(st.text(max_size=120))
def test_normal_form_changes_nothing(text: str) -> None:
    assert text_terms(unicodedata.normalize("NFKC", text)) == text_terms(text)


@given(st.text(max_size=200))
def test_a_text_contains_every_term_that_it_asks_for(text: str) -> None:
    assert asked(text) <= set(text_terms(text))


@given(st.text(max_size=200))
def test_terms_are_never_empty_or_blank(text: str) -> None:
    assert all(term and term == term.strip() for term in text_terms(text))
