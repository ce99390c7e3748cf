"""Citing: each quote is looked for where it is said to stand, and a text of one's own stands on quotes alone."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.observation import Quote, Statement
from whoknows.gate.citing import borne_out, cited, evidence_of, sentences
from whoknows.gate.quotes import MOST

ONE, TWO = MemoryId(UUID(int=1)), MemoryId(UUID(int=2))
BUILD = "Builds fail when the disk is full, as on 3 runners"
CACHE = "磁盘满了以后构建会失败，需要先清理缓存"


def statement(identity: MemoryId, text: str) -> Statement:
    return Statement(identity, AudienceId(1), None, text, None, 1, "h")


SOURCES = {ONE: statement(ONE, BUILD), TWO: statement(TWO, CACHE)}


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("第一句。第二句！第三句", ["第一句。", "第二句！", "第三句"]),
        ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
        ("Version 3.14 is out. Use it", ["Version 3.14 is out.", "Use it"]),
        ("a line\nanother line\n\n", ["a line", "another line"]),
        ("…\n!\n", []),
        ("", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(max_size=300))
def test_no_sentence_is_empty_and_all_stand_in_the_text(text: str) -> None:
    assert all(part and part in text for part in sentences(text))


def test_a_quote_of_a_source_is_all_of_it_or_its_nearest_sentence() -> None:
    short = cited(SOURCES[ONE], "anything")
    assert (short.quote, short.start, short.end, short.verified) == (BUILD, 0, len(BUILD), True)
    long = statement(ONE, "Lunch is at noon. " * (MOST // 10) + "The disk is full on every runner. And so on.")
    assert cited(long, "a full disk on a runner").quote == "The disk is full on every runner."
    endless = statement(ONE, "word " * MOST)
    assert len(cited(endless, "word").quote or "") <= MOST
    assert cited(endless, "word").verified
    signs = statement(ONE, "!" * (2 * MOST))
    assert not cited(signs, "word").verified


def test_what_does_not_stand_there_or_says_too_little_is_not_verified() -> None:
    assert evidence_of(SOURCES[ONE], "when the disk is full").verified
    assert not evidence_of(SOURCES[ONE], "when the disk was full").verified
    too_short = evidence_of(SOURCES[ONE], "full")
    assert too_short.start is not None
    assert not too_short.verified


def test_each_sentence_needs_a_quote() -> None:
    text = "A full disk makes builds fail. 先清理缓存。"
    full, clean = Quote(ONE, "when the disk is full", 1), Quote(TWO, "需要先清理缓存", 2)
    evidence, missing = borne_out(text, (full, clean), SOURCES)
    assert missing == ()
    assert {(e.locator, e.quote) for e in evidence} >= {(str(ONE), full.quote), (str(TWO), clean.quote)}
    assert borne_out("A full disk makes builds fail.", (Quote(ONE, "when the disk is full"),), SOURCES)[1] == ()


def test_a_sentence_that_stands_there_is_its_own_quote() -> None:
    evidence, missing = borne_out(f"{BUILD}. 需要先清理缓存！", (), SOURCES)
    assert missing == ()
    assert {e.quote for e in evidence} == {BUILD, "需要先清理缓存"}


@pytest.mark.parametrize(
    ("text", "quotes", "check", "says"),
    [
        ("A full disk makes builds fail.", (), "quote_not_found", "sentence 1"),
        ("A full disk.", (Quote(ONE, "when the disk was full"),), "quote_not_found", "does not stand"),
        ("A full disk.", (Quote(ONE, "full"),), "quote_too_short", "too short"),
        ("A full disk.", (Quote(MemoryId(UUID(int=3)), "when the disk is full"),), "quote_not_found", "none of the memories"),
        ("A full disk. No builds.", (Quote(ONE, "when the disk is full"),), "quote_not_found", "which `sentence`"),
        ("A full disk.", (Quote(ONE, "when the disk is full", 2),), "quote_not_found", "which `sentence`"),
        ("It fails on 7 runners.", (Quote(ONE, "as on 3 runners"),), "quote_not_found", "a number"),
    ],
)
def test_what_is_missing_is_said(text: str, quotes: tuple[Quote, ...], check: str, says: str) -> None:
    _, missing = borne_out(text, quotes, SOURCES)
    assert check in {f.check for f in missing}
    assert says in " ".join(f.message for f in missing)


def test_the_place_of_a_sentence_without_a_quote_is_told() -> None:
    text = f"{BUILD}. Nobody said this."
    (finding,) = borne_out(text, (), SOURCES)[1]
    assert finding.span is not None
    assert text[slice(*finding.span)] == "Nobody said this."
