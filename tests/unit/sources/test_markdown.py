"""Markdown into pieces."""

from whoknows.sources.markdown import MOST_BYTES, By, Piece, pieces


def test_a_short_file_is_one_piece_under_its_heading() -> None:
    assert pieces("# 发布流程\n\n先测试。\n\n## 细节\n\n再发布。\n") == [
        Piece("发布流程", "先测试。\n\n## 细节\n\n再发布。", ())
    ]


def test_a_long_file_is_taken_apart_by_its_headings() -> None:
    text = "# Doc\n\nIntro.\n\n## One\n\n" + "a word " * 200 + "\n\n### Deeper\n\nstays.\n\n## Two\n\n" + "b word " * 200
    found = pieces(text)
    assert [p.title for p in found] == ["Doc", "Doc › One", "Doc › Two"]
    assert found[1].text.endswith("### Deeper\n\nstays.")


def test_sections_can_be_asked_for_and_refused() -> None:
    text = "# Doc\n\n## One\n\nx\n\n## Two\n\ny\n"
    assert [p.title for p in pieces(text, By.SECTION)] == ["Doc › One", "Doc › Two"]
    assert [p.title for p in pieces(text + "long " * 1000, By.FILE)] == ["Doc"]


def test_a_number_sign_in_a_code_block_is_no_heading() -> None:
    found = pieces("# Doc\n\n## One\n\n```sh\n## not a heading\n```\n\nafter\n", By.SECTION)
    assert [p.title for p in found] == ["Doc › One"]
    assert "## not a heading" in found[0].text


def test_front_matter_gives_title_and_tags() -> None:
    for tags in ("tags: [ops, 发布]", "tags: ops, 发布", "tags:\n  - ops\n  - 发布"):
        (found,) = pieces(f"---\ntitle: 手册\n{tags}\n---\n# Other\n\ntext\n")
        assert found == Piece("手册", "text", ("ops", "发布"))


def test_what_says_nothing_gives_nothing() -> None:
    for text in ("", "\n\n", "# Only a title\n", "---\ntitle: x\n---\n"):
        assert pieces(text) == []


def test_no_piece_is_longer_than_is_accepted() -> None:
    found = pieces("# 长文\n\n" + "\n\n".join(["一段话。" * 200] * 40), By.FILE)
    assert len(found) > 1
    assert all(len(p.text.encode()) <= MOST_BYTES for p in found)
    assert [p.title for p in found][:2] == ["长文", "长文 (2)"]


def test_windows_line_ends_and_no_title_are_fine() -> None:
    assert pieces("one\r\ntwo\r\n") == [Piece(None, "one\ntwo", ())]
