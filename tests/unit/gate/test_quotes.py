"""Quotes are found character for character after NFKC and white-space folding, with their place in the original."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from whoknows.gate import quotes
from whoknows.gate.quotes import find, find_in, fold, folded, quote_hash, weight


@pytest.mark.parametrize(
    ("quote", "text", "place"),
    [
        ("port 5433", "on port 5433 now", "port 5433"),
        ("port 5433", "on port\n   5433 now", "port\n   5433"),
        ("port 5433", "on port\u00a05433 now", "port\u00a05433"),
        ("  port 5433\n", "on port 5433", "port 5433"),
        ("find it", "we ﬁnd it", "ﬁnd it"),
        ("we ﬁnd it", "we find it", "we find it"),
        ("ＰＯＲＴ　５４３３", "on PORT 5433", "PORT 5433"),
        ("PORT 5433", "on ＰＯＲＴ　５４３３。", "ＰＯＲＴ　５４３３"),
        ("step 1 of 20", "step ① of ⑳", "step ① of ⑳"),
        ("café au lait", "un cafe\u0301 au lait", "cafe\u0301 au lait"),
        ("un cafe\u0301", "un café", "un café"),
        ("5 kg 面粉", "5 ㎏ 面粉", "5 ㎏ 面粉"),
        ("数据库端口是5433", "预发环境数据库\n端口是5433。", "数据库\n端口是5433"),
        ("数据库端口", "数据库\r\n    端口", "数据库\r\n    端口"),
        ("好，我们用它", "好，\n我们用它", "好，\n我们用它"),
        ("数据库 端口", "数据库\n\n端口", "数据库\n\n端口"),
        ("数据库 端口", "数据库 端口", "数据库 端口"),
        ("用 API 接口", "用 API\n接口", "用 API\n接口"),
        ("데이터베이스 포트", "데이터베이스\n포트", "데이터베이스\n포트"),
        ("가격은 오천", "가격은 오천", "가격은 오천"),
        ("ｶﾞｰﾃﾞﾝの話", "ガーデンの話", "ガーデンの話"),
        ("ガーデンの話", "これはｶﾞｰﾃﾞﾝの話", "ｶﾞｰﾃﾞﾝの話"),
        ("- use 5433", "- use 5433\n- not 5432", "- use 5433"),
        ("wait... then", "wait… then", "wait… then"),
        ("x\u0302 marks", "x\u0302 marks", "x\u0302 marks"),
        ("a diaeresis \u00a8 here", "a diaeresis \u00a8 here", "a diaeresis \u00a8 here"),
    ],
)
def test_a_quote_is_found_where_it_stands(quote: str, text: str, place: str) -> None:
    found = find(quote, text)
    assert found is not None
    assert text[slice(*found)] == place
    assert fold(place) == fold(quote)


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("port 5433", "on port 5432"),
        ("port 5433", "on Port 5433"),
        ("port 5433", "on port5433"),
        ("port 5433", "on port\u200b5433"),
        ("数据库端口", "数据库 端口"),
        ("数据库端口", "数据库\n\n端口"),
        ("cafe au lait", "un café au lait"),
        ("cafe", "un cafe\u0301"),
        ("ind it", "we ﬁnd it"),
        ("we f", "we ﬁnd it"),
        ("wait.", "wait…"),
        ("x marks", "x\u0302 marks"),
        ("use 5433 not", "- use 5433\n- not 5432"),
        ("quoted line two", "> quoted line\n> two"),
        ("", "anything"),
        ("   ", "a   b"),
        ("anything", ""),
    ],
)
def test_other_words_are_not_the_quote(quote: str, text: str) -> None:
    assert find(quote, text) is None


def test_the_second_place_counts_where_the_first_would_begin_inside_a_character() -> None:
    text = "ﬁndet, was er sucht: indet, was er sucht"
    assert find("indet, was er sucht", text) == (21, 40)


def test_a_place_within_bounds_is_told_in_the_whole_text() -> None:
    text = "5433 here\n5433 there"
    assert find("5433", text, 10) == (10, 14)
    assert find("5433 there", text, 0, 12) is None


def test_a_text_of_nothing_but_half_characters_is_given_up() -> None:
    assert find("ififififi", "ﬁ" * 20_000) is None


def test_a_quote_weighs_what_its_letters_say() -> None:
    assert weight("port 5433") == 8
    assert weight("端口改了") == 8
    assert weight("... --- ...") == 0
    assert weight("ＡＢ①") == 3


def test_equal_quotes_have_equal_hashes() -> None:
    assert quote_hash("port  5433\n") == quote_hash("port 5433") == quote_hash("ｐｏｒｔ 5433")
    assert quote_hash("port 5433") != quote_hash("port 5432")


def test_no_character_joins_the_one_before_it_unseen() -> None:
    """The places at which a text is cut for folding: derived from the Unicode tables of this Python."""
    seconds = {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}
    for c in map(chr, range(0x110000)):
        parts = unicodedata.decomposition(c).split()
        if len(parts) == 2 and not parts[0].startswith("<"):
            seconds.add(chr(int(parts[1], 16)))
    for c in (chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000):
        form = unicodedata.normalize("NFKC", c)
        joins = bool(quotes._JOINS.match(c)) or unicodedata.category(c)[0] == "M"
        plain = quotes._PIECES.match(c)
        if unicodedata.combining(form[0]) or form[0] in seconds:
            assert joins, f"U+{ord(c):04X}"
        if plain and plain["plain"]:
            assert len(form) == 1, f"U+{ord(c):04X}"
            assert not joins, f"U+{ord(c):04X}"


TEXTS = st.text(
    st.one_of(
        st.characters(exclude_categories=("Cs",)),
        st.sampled_from("abc 5433.\n\t预发环境数据库，。ﬁ①㎏…éＡ　\u0301\u0323\u1161\u11a8가ｶﾞが\u3099\u00a8\u200b"),
    ),
    max_size=60,
)


@given(TEXTS)
@example("\u00a8 \u0301a")
@example("预\n\n发")
def test_folding_is_nfkc_and_one_blank_for_white_space_but_for_wrapped_chinese(text: str) -> None:
    unwrapped = "".join(c for c in text if c not in "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    if quotes._JOINS.search(unwrapped) is None:  # a heap of marks longer than thirty is taken in parts
        assert fold(unwrapped) == " ".join(unicodedata.normalize("NFKC", unwrapped).split())


@given(TEXTS, st.integers(0), st.integers(0))
@example("a\u0301b", 0, 1)
@example("\u00a8 \u0301a", 0, 2)
@example("0\u00b4", 1, 2)
def test_every_slice_between_whole_characters_is_found_and_its_place_says_the_same(text: str, one: int, two: int) -> None:
    borders = sorted({begin for begin, _, _, _ in quotes._pieces(text)} | {len(text)})
    begin, end = sorted((borders[one % len(borders)], borders[two % len(borders)]))
    place = find(text[begin:end], text)
    assert (place is None) == (fold(text[begin:end]) == "")
    if place is not None:
        assert fold(text[slice(*place)]) == fold(text[begin:end])
        assert 0 <= place[0] < place[1] <= len(text)


@given(TEXTS, TEXTS)
def test_what_is_found_really_stands_there(quote: str, text: str) -> None:
    place = find(quote, text)
    if place is not None:
        assert fold(text[slice(*place)]) == fold(quote)


@pytest.mark.parametrize(
    "text",
    [
        "The quick brown fox jumps over the lazy dog. " * 22_000,
        "记忆分层设计，主 Agent 提示词与记忆。\n下一行。" * 10_000,
        "e" + "\u0301\u0323" * 100_000,
        "ﬁ" * 50_000,
        " \n" * 500_000,
        "a" * 1_000_000,
        "🙂" * 50_000,
    ],
    ids=["english", "chinese", "marks", "ligatures", "blanks", "one letter", "emoji"],
)
def test_a_hostile_text_is_folded_and_a_hostile_quote_is_looked_for_in_it(text: str) -> None:
    source = folded(text)
    for quote in (text[40_000:70_000], "if" * 15_000, "a" * 29_999 + "b"):
        place = find_in(fold(quote), source)
        assert place is None or fold(text[slice(*place)]) == fold(quote)
