"""Documents into pieces."""

from whoknows.documents.document import document_of
from whoknows.documents.pieces import MOST_BYTES, By, Piece, pieces_of


def cut(text: str, by: By = By.AUTO, path: str = "note.md") -> list[Piece]:
    return pieces_of(document_of(text, path), by)


def test_a_short_file_is_one_piece_under_its_heading() -> None:
    (piece,) = cut("# 发布流程\n\n先测试。\n\n## 细节\n\n再发布。\n")
    assert (piece.anchor, piece.title, piece.text) == ("", "发布流程", "先测试。\n\n## 细节\n\n再发布。")
    assert (piece.first, piece.last) == (3, 7)


def test_a_long_file_is_taken_apart_by_its_headings() -> None:
    text = "# Doc\n\nIntro.\n\n## One\n\n" + "a word " * 200 + "\n\n### Deeper\n\nstays.\n\n## Two\n\n" + "b word " * 200
    found = cut(text)
    assert [(p.anchor, p.title) for p in found] == [
        ("", "Doc"),
        ("one", "Doc › One"),
        ("one~2", "Doc › One (2)"),
        ("two", "Doc › Two"),
    ]
    assert found[2].text == "### Deeper\n\nstays."
    assert [p.first for p in found] == [3, 5, 9, 13]


def test_sections_can_be_asked_for_and_refused() -> None:
    text = "# Doc\n\n## One\n\nx of one\n\n## Two\n\ny\n"
    assert [p.title for p in cut(text, By.SECTION)] == ["Doc", "Doc › One", "Doc › Two"]
    assert [p.title for p in cut(text + "long " * 1000, By.FILE)] == ["Doc"]


def test_the_head_of_a_record_holds_its_fields_and_what_it_says_first() -> None:
    text = "# ADR 0007: New\n\n- Status: Proposed\n- Date: 2026-07-01\n\n## Context\n\nFirst words of it.\n\nMore.\n"
    head, context = cut(text, By.SECTION, "0007.md")
    assert head.title == "ADR 0007: New [proposed]"
    assert head.text == "- Status: Proposed\n- Date: 2026-07-01\n\nFirst words of it."
    assert head.quote == "First words of it."
    assert context.text == "First words of it.\n\nMore."


def test_sections_of_the_same_name_keep_apart() -> None:
    assert [p.anchor for p in cut("# D\n\n## A\n\none\n\n## A\n\ntwo\n", By.SECTION)] == ["", "a", "a-2"]


def test_a_number_sign_in_a_code_block_is_no_heading() -> None:
    found = cut("# Doc\n\n## One\n\n```sh\n## not a heading\n```\n\nafter\n", By.SECTION)
    assert [p.title for p in found] == ["Doc", "Doc › One"]
    assert "## not a heading" in found[1].text


def test_a_file_without_a_title_is_called_after_its_name() -> None:
    assert cut("only words\n", path="deep/some-note.md")[0].title == "some-note"
    assert cut("---\ntitle: 手册\n---\n# Other\n\ntext\n")[0].title == "手册"


def test_what_says_nothing_gives_nothing() -> None:
    for text in ("", "\n\n", "# Only a title\n", "---\ntitle: x\n---\n", "<!-- a remark -->\n"):
        assert cut(text) == [], text


def test_no_piece_is_longer_than_is_accepted() -> None:
    for text in ("# 长文\n\n" + "\n\n".join(["一段话。" * 200] * 40), "# L\n\n" + "x" * 200_000, "# L\n\n" + "词" * 50_000):
        for by in By:
            found = cut(text, by)
            assert len(found) > 1
            assert all(len(p.text.encode()) <= MOST_BYTES for p in found)
            assert len({p.anchor for p in found}) == len(found)
            assert len({p.title for p in found}) == len(found)


def test_a_quote_ends_with_a_sentence_and_stands_in_the_text() -> None:
    (piece,) = cut("# Doc\n\n" + "A sentence of some words. " * 30)
    assert piece.quote is not None
    assert piece.quote.endswith("words.")
    assert len(piece.quote) <= 300


def test_windows_line_ends_and_marks_of_byte_order_are_fine() -> None:
    (piece,) = cut("\ufeff# T\r\n\r\none\r\ntwo\r\n")
    assert (piece.title, piece.text) == ("T", "one\ntwo")
