"""Findings in words."""

import re
from pathlib import Path

import pytest

import whoknows
from whoknows.console.findings import told
from whoknows.console.words import Language, words
from whoknows.errors import Finding

ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"


def test_a_finding_is_said_in_the_readers_language_and_links_the_memories_that_it_names() -> None:
    finding = Finding("near_duplicate", f"{ID} says almost the same")
    (english,), (chinese,) = told([finding], words(Language.EN)), told([finding], words(Language.ZH))
    assert english.memories == chinese.memories == (ID,)
    assert (english.says, english.detail) == ("Something almost the same is there", finding.message)
    assert (chinese.says, chinese.detail) == ("已有几乎相同的记忆", None)


def test_what_was_taken_out_is_named_by_its_kind_and_its_place() -> None:
    (told_,) = told([Finding("redacted", "content: replaced by [secret:github]", (3, 9))], words(Language.EN))
    assert told_.says == "Secret or personal data was taken out [secret:github]"
    assert told_.span == (3, 9)


def test_a_check_without_words_of_its_own_is_told_as_the_gate_said_it() -> None:
    (told_,) = told([Finding("brand_new", "it is so")], words(Language.ZH))
    assert (told_.says, told_.detail) == ("it is so", None)


@pytest.mark.parametrize("language", list(Language))
def test_every_check_that_the_code_names_has_words(language: Language) -> None:
    source = "\n".join(
        f.read_text("utf-8") for f in Path(whoknows.__file__).parent.rglob("*.py") if f.parent.name != "diagnosis"
    )
    named = set(re.findall(r'Finding\(\s*"([a-z_]+)"', source)) | {"not_verifiable"}
    assert len(named) > 15
    assert {n for n in named if not words(language).has(f"findings.{n}")} == set()
