"""Where a quote stands among the lines of its source."""

from whoknows.console.excerpt import shown
from whoknows.domain.provenance import Line

LINES = [Line(7, "Since March"), Line(8, "staging listens on 5433, and"), Line(9, "not on 5432. It listens."), Line(10, "")]


def marked(quote: str | None, quoted: tuple[int, int] | None) -> list[list[str]]:
    return [[text for text, is_marked in line.parts if is_marked] for line in shown(LINES, quote, quoted)]


def test_a_quote_is_marked_to_the_character() -> None:
    assert marked("listens on 5433", (8, 8)) == [[], ["listens on 5433"], [], []]
    assert [line.is_quoted for line in shown(LINES, "listens on 5433", (8, 8))] == [False, True, False, False]


def test_a_quote_over_several_lines_is_marked_in_each() -> None:
    assert marked("on 5433, and not on 5432.", (8, 9)) == [[], ["on 5433, and"], ["not on 5432."], []]


def test_of_words_that_stand_twice_those_in_the_quoted_lines_are_marked() -> None:
    lines = [Line(1, "it listens here"), Line(2, "it listens here")]
    assert [line.is_quoted for line in shown(lines, "it listens here", (2, 2))] == [False, True]


def test_where_the_words_were_redacted_the_quoted_lines_are_marked_whole() -> None:
    assert marked("listens with a key that is not shown", (8, 9)) == [[], [LINES[1].text], [LINES[2].text], []]


def test_without_a_place_nothing_is_marked_and_no_text_is_lost() -> None:
    assert marked(None, None) == [[], [], [], []]
    assert ["".join(t for t, _ in line.parts) for line in shown(LINES, "on 5433", (8, 8))] == [line.text for line in LINES]
    assert shown([], "on 5433", (8, 8)) == ()


def test_chinese_is_marked_to_the_character() -> None:
    lines = [Line(3, "部署窗口是周二"), Line(4, "十点，不是周四。")]
    assert [p for line in shown(lines, "周二十点", (3, 4)) for p in line.parts if p[1]] == [("周二", True), ("十点", True)]
