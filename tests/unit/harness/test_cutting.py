"""Cutting: both ends of a long text, no half of a secret, and quickly."""

import pytest

import made_up
from whoknows.gate.redact import redact
from whoknows.harness.cutting import asked, ends


def test_a_short_text_stays_as_it_is() -> None:
    assert asked("Which port?") == "Which port?"
    assert ends("Which port?", 100, 50) == "Which port?"


def test_of_a_long_one_the_beginning_and_the_end_are_asked() -> None:
    text = "Why does this fail? " + "log line " * 50_000 + "It began yesterday."
    found = asked(text)
    assert found.startswith("Why does this fail?")
    assert found.endswith("It began yesterday.")
    assert len(found) < 700


def test_what_is_pasted_does_not_drown_the_question() -> None:
    paste = "\n".join(f"at frame {n} of nothing in particular" for n in range(1_000))
    for text in (
        f"Which port does the staging database listen on?\n{paste}",
        f"{paste}\nWhich port does the staging database listen on?",
    ):
        found = asked(text)
        assert "Which port does the staging database listen on?" in found
        assert found.count("frame") <= 5


def test_ideographs_weigh_more() -> None:
    assert len(asked("端口" * 1000)) < 210


def test_both_ends_are_cut_at_lines_and_measured_in_bytes() -> None:
    text = "\n".join(f"第 {n} 行" for n in range(10_000))
    found = ends(text, 3_000, 1_000)
    assert len(found.encode()) <= 4_010
    assert set(found.split("\n")) - {"…"} <= set(text.split("\n"))


def test_no_half_of_a_private_key_is_left() -> None:
    key = made_up.private_key()
    text = "a" * 5_000 + "\n" + key + "\nthe end"
    body = key.split("\n")[1:-1]
    for tail in range(20, 700, 7):
        clean = redact(ends(text, 100, tail)).text
        assert not any(line[8:40] in clean for line in body), tail


@pytest.mark.parametrize("secret", [made_up.github_token(), f"password: {made_up.password()}"], ids=["token", "password"])
def test_no_half_of_a_secret_is_left_and_none_without_its_word(secret: str) -> None:
    whole = secret.rpartition(" ")[2]
    parts = {whole[n : n + 6] for n in range(len(whole) - 5)}
    for before in range(450, 500, 3):
        fill = ("a day " * 100)[-before:]
        first = ends(f"{fill} {secret} {'another day ' * 500}", 500, 100, clean)
        last = ends(f"{'another day ' * 500} {secret} {fill}", 100, 500, clean)
        assert not [p for p in parts if p in first or p in last], before


def clean(text: str) -> str:
    return redact(text).text


def test_no_half_of_a_character_is_left() -> None:
    text = "端" * 1_000
    for most in range(10, 20):
        assert "\ufffd" not in ends(text, most, most)
