"""The words of the console: the same in both languages, none missing, none left over."""

import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from whoknows.console import words as module
from whoknows.console.words import FOLDER, Language, spoken, words
from whoknows.domain.memory import Category, State

CONSOLE = Path(module.__file__).parent
SOURCES = [*CONSOLE.rglob("*.html"), *CONSOLE.rglob("*.py")]
# t("page.key"), words("page.key"), or the beginning of a key that is put together: t("kinds." ~ category)
ASKED = re.compile(r"""\b(?:t|words|words_of\(request\))\(\s*["']([a-z_]+\.[a-z0-9_.]*)["'](\s*~)?""")
SIGNS = {*map(str, State), "stale", "injected", "copy", "team", "private"} - {"active"}


def texts(language: Language) -> dict[str, str]:
    return dict(words(language).texts)


def asked() -> Iterator[tuple[str, bool]]:
    for path in SOURCES:
        for key, goes_on in ASKED.findall(path.read_text("utf-8")):
            yield key, bool(goes_on)


def test_both_languages_have_the_same_pages() -> None:
    assert {p.name for p in (FOLDER / "en").iterdir()} == {p.name for p in (FOLDER / "zh").iterdir()}


def test_both_languages_have_the_same_words_with_the_same_values_in_them() -> None:
    en, zh = texts(Language.EN), texts(Language.ZH)
    # The flows say errors and reasons in English themselves: those are the ones that need Chinese alone.
    alone = ("errors.", "reasons.")
    assert {k for k in en if not k.startswith(alone)} == {k for k in zh if not k.startswith(alone)}
    for key in en.keys() & zh.keys():
        assert placeholders(en[key]) == placeholders(zh[key]), key


def test_every_word_that_a_page_asks_for_is_there() -> None:
    known = texts(Language.EN)
    for key, goes_on in asked():
        if goes_on or key.endswith(("_", ".")):
            assert any(k.startswith(key) for k in known), key
        else:
            assert key in known, key


@pytest.mark.parametrize("language", list(Language))
def test_categories_and_signs_have_names(language: Language) -> None:
    said = words(language)
    assert all(said(f"kinds.{c}") for c in Category)
    assert all(said(f"signs.{s}") and said(f"signs.{s}_means") for s in SIGNS)


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en", "en"),
        ("zh", "zh"),
        ("fr-FR,fr;q=0.9", "en"),
        ("", "en"),
        ("fr,zh-TW", "zh"),
    ],
)
def test_the_browser_s_language_is_spoken(accepted: str, language: str) -> None:
    assert spoken(accepted) == language


@pytest.mark.parametrize("one", [1, "1"])
def test_one_of_something_is_told_as_one(one: object) -> None:
    english = words(Language.EN)
    assert english("knows.count", n=one) == "1 memory"
    assert english("knows.count", n="1,000") == "1,000 memories"
    assert english("memory.delete_with", n=one) == "and 1 copy with it"


def test_a_text_without_a_form_for_one_says_the_number() -> None:
    assert words(Language.EN)("memory.found", n=1) == "1 found"


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}
