"""Locators name a file and its lines; offsets and lines are two ways to say the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.domain.locator import Place, file_place, git_place, id_of, lines_of, span_of

TEXT = "one\ntwo\n\nfour"


@pytest.mark.parametrize(
    ("locator", "place"),
    [
        ("adr:docs/0007.md", Place("adr", "docs/0007.md")),
        ("adr:docs/0007.md#L10", Place("adr", "docs/0007.md", (10, 10))),
        ("adr:docs/0007.md#L10-L14", Place("adr", "docs/0007.md", (10, 14))),
        ("adr:docs/0007.md#L10-14", Place("adr", "docs/0007.md", (10, 14))),
        ("adr:docs/0007.md#L14-L10", Place("adr", "docs/0007.md", (14, 14))),
        ("adr:docs/a#b.md", Place("adr", "docs/a#b.md")),
        ("adr:with:colon.md", Place("adr", "with:colon.md")),
        ("adr", Place("adr", "")),
        ("adr:x#L0", Place("adr", "x", (1, 0))),
    ],
)
def test_a_git_locator_names_source_path_and_lines(locator: str, place: Place) -> None:
    assert git_place(locator) == place


def test_a_file_locator_names_no_source() -> None:
    assert file_place("notes/端口.md#L3-L4") == Place("", "notes/端口.md", (3, 4))
    assert file_place("/srv/notes/a:b.md") == Place("", "/srv/notes/a:b.md")


@pytest.mark.parametrize(
    ("lines", "words"),
    [((1, 1), "one"), ((2, 2), "two"), ((2, 3), "two\n"), ((1, 9), TEXT), ((4, 4), "four"), ((5, 9), ""), ((3, 3), "")],
)
def test_lines_are_a_span_of_the_text(lines: tuple[int, int], words: str) -> None:
    begin, end = span_of(lines, TEXT)
    assert TEXT[begin:end] == words


@given(st.text("ab\n", min_size=1, max_size=40), st.data())
def test_a_span_stands_in_the_lines_that_are_told_of_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    first, last = lines_of(start, end, text)
    begin, behind = span_of((first, last), text)
    assert begin <= start
    assert text[start:end].rstrip("\n") in text[begin:behind] + "\n"


def test_an_id_is_one_in_its_canonical_form_alone() -> None:
    assert str(id_of("0197F3A1-6f1e-7b6e-9d0c-2f4b8a1c7e55")) == "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
    for other in ("m-17", "0197f3a16f1e7b6e9d0c2f4b8a1c7e55", "{0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55}", ""):
        assert id_of(other) is None
