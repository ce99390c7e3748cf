"""Differences line by line."""

from whoknows.console.difference import difference


def test_what_is_appended_is_added_and_the_lines_before_it_are_told() -> None:
    lines = difference("# A\n\nold\n", "# A\n\nold\n\n## B\n")
    assert [(c.sign, c.text) for c in lines] == [
        ("@", "@@ -1,3 +1,5 @@"),
        (" ", "# A"),
        (" ", ""),
        (" ", "old"),
        ("+", ""),
        ("+", "## B"),
    ]


def test_a_new_file_is_added_whole() -> None:
    assert [(c.sign, c.text) for c in difference(None, "a\n-b\n")][1:] == [("+", "a"), ("+", "-b")]


def test_what_goes_is_told_as_gone() -> None:
    assert [(c.sign, c.text) for c in difference("a\nb\n", "a\nc\n")][1:] == [(" ", "a"), ("-", "b"), ("+", "c")]


def test_the_same_text_is_no_difference() -> None:
    assert difference("a\n", "a\n") == ()
