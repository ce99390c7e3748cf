"""The picture in the README is what the program draws now."""

import re

from picture import PICTURE, picture


def test_the_picture_is_what_make_docs_would_draw_and_fetches_nothing() -> None:
    drawn = picture()
    assert PICTURE.read_text("utf-8") == drawn, "run `make docs`"
    assert not re.search(r"@font-face|@import|url\((?!#)|href=", drawn)
    assert drawn.count("hidden") > drawn.count("own") > 0
