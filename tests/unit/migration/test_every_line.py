"""Every line of every file has exactly one fate, and what is not structure is said by a statement."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whoknows.migration import claude, codex
from whoknows.migration.homes import Native
from whoknows.migration.lines import Unreadable, lines_in, without_put_in
from whoknows.migration.places import Places
from whoknows.migration.plan import plan_of
from whoknows.migration.reading import without_pointers
from whoknows.migration.reconciliation import reconciled
from whoknows.migration.sending import Became, foreseen
from whoknows.migration.statements import Fate, Parsed, Place

PLACE = Place("-srv-shop", ("/srv/shop",))
LINE = st.one_of(
    st.sampled_from(
        [
            "", " ", "---", "...", "# Title", "## Task 1: carts, success", "# Task Group: shop", "### keywords", "=====", "```",
            "~~~", "### rollout_summary_files", "## User preferences", "Preference signals:", "## What's in Memory", "v1",
            "    indented", "- entry", "  goes on", "* other", "1. first", "- [Title](a.md) — hook", "- [[b]]", "> quoted",
            "<!-- hidden -->", "<!--", "name: x", "description: y: z", "metadata:", "  type: user", "cwd: /srv/x",
            "Outcome: success", "applies_to: cwd=/srv/shop; reuse_rule=x", '<whoknows-memory a="x">', "</whoknows-memory>",
            "<system-reminder>", "</system-reminder>", "## Thread `t`", "| a | b |", "先写测试。", "The port is 5433.",
            "x" * 7000, "很长" * 4000, "updated_at: 2026-01-01", "\t", "\x0c", "\u2028", "a\rb",
        ]
    ),
    st.text(alphabet=st.characters(exclude_categories=["Cs"], exclude_characters="\n\0"), max_size=60),
)  # fmt: skip
TEXT = st.lists(LINE, max_size=40)


def parses(lines: Sequence[str]) -> list[Parsed]:
    root = ".claude/projects/-srv-shop/memory"
    return [
        claude.parsed_topic(f"{root}/a.md", lines, PLACE),
        claude.parsed_index(f"{root}/MEMORY.md", lines, PLACE),
        *(codex.parsed_notes(f".codex/memories/{form.name}.md", lines, form) for form in codex.Form),
    ]


@settings(max_examples=80, deadline=None)
@given(TEXT)
def test_no_line_is_lost_and_none_is_told_twice(lines: list[str]) -> None:
    for parsed in parses(lines):
        assert parsed.unaccounted() == []
        claimed = {n for s in parsed.statements for n in s.lines} | {p.line for p in parsed.pointers}
        assert not claimed & set(parsed.structure)
        assert claimed | set(parsed.structure) == set(range(1, len(lines) + 1))


@settings(max_examples=80, deadline=None)
@given(TEXT)
def test_what_is_not_structure_stands_in_a_statement_to_the_letter(lines: list[str]) -> None:
    for parsed in parses(lines):
        said = "".join(squeezed(s.text) for s in parsed.statements)
        for statement in parsed.statements:
            assert squeezed(statement.quote) in squeezed("".join(lines[n - 1] for n in statement.lines))
            for n in statement.lines:
                words = squeezed(lines[n - 1].strip().lstrip("-*+0123456789.) "))
                assert words in said


@settings(max_examples=40, deadline=None)
@given(TEXT, TEXT)
def test_the_sum_over_all_files_is_the_number_of_lines(first: list[str], second: list[str]) -> None:
    topic = claude.parsed_topic(".claude/projects/-srv-shop/memory/a.md", first, PLACE)
    index = claude.parsed_index(".claude/projects/-srv-shop/memory/MEMORY.md", second, PLACE)
    broken = Parsed(".claude/projects/-srv-shop/memory/c.md", 7, unreadable="a pipe")
    for mapped in ({}, {"/srv/shop": "shop"}, {"/srv/shop": "-"}):
        files = without_pointers([topic, index, broken])
        plan = plan_of(Native.CLAUDE_CODE, files, Places(Native.CLAUDE_CODE, (), mapped), "ana")
        found = reconciled(plan, foreseen(plan, {}))
        assert found.adds_up
        assert found.counts["lines"] == len(first) + len(second) + 7
        assert found.counts["unreadable"] == 7
        assert not found.is_clean


def test_a_lost_line_is_noticed() -> None:
    parsed = claude.parsed_topic(".claude/projects/-srv-shop/memory/a.md", ["one", "", "two"], PLACE)
    holed = Parsed(parsed.path, 4, parsed.statements, parsed.pointers, parsed.structure)
    assert holed.unaccounted() == [4]
    plan = plan_of(Native.CLAUDE_CODE, [holed], Places(Native.CLAUDE_CODE, (), {"/srv/shop": "shop"}), None)
    found = reconciled(plan, [Became(Fate.STORED, "new")])
    assert not found.adds_up
    assert not found.is_clean


def test_a_long_line_that_is_half_refused_counts_as_refused() -> None:
    long = " ".join(f"Sentence {n} of a very long line." for n in range(600))
    parsed = claude.parsed_topic(".claude/projects/-srv-shop/memory/a.md", [long], PLACE)
    assert len(parsed.statements) > 1
    plan = plan_of(Native.CLAUDE_CODE, [parsed], Places(Native.CLAUDE_CODE, (), {"/srv/shop": "shop"}), None)
    became = [*[Became(Fate.STORED, "new")] * (len(plan.items) - 1), Became(Fate.REFUSED, "text_too_long")]
    assert reconciled(plan, became).counts["refused"] == 1
    assert reconciled(plan, [*became[:-1], Became(Fate.STORED, "new")]).is_clean


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", 0),
        (b"\n", 1),
        (b"a", 1),
        (b"a\r\nb\r\n", 2),
        ("\ufeffa\nb".encode(), 2),
        ("一\n二\n".encode("utf-16"), 2),
    ],
)
def test_lines_are_counted_as_an_editor_does(content: bytes, lines: int) -> None:
    found = lines_in(content)
    assert not isinstance(found, Unreadable)
    assert len(found) == lines
    assert not [line for line in found if line.endswith("\r") or line.startswith("\ufeff")]


@pytest.mark.parametrize("content", [b"a\0b\n", b"caf\xe9\n", "一\n".encode("utf-16")[:-1], b"\xff\xfe\x00\xd8"])
def test_what_is_no_text_says_why_and_how_many_lines_it_has(content: bytes) -> None:
    found = lines_in(content)
    assert isinstance(found, Unreadable)
    assert found.why
    assert found.lines == max(1, content.count(b"\n"))


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize(
    ("text", "said", "own"),
    [
        ("a\n<whoknows-memory x>\nput in\n</whoknows-memory>\nb", ["a", "", "", "", "b"], {2, 3, 4}),
        ("Never paste <system-reminder> here.", ["Never paste <system-reminder> here."], set()),
        ("`<system-reminder>` is noise.\nKept.\n`</system-reminder>` ends it.", None, set()),
        ("- <system-reminder> is noise.\nKept.\n- </system-reminder> ends it.", None, set()),
        ("Before <system-reminder>x</system-reminder> after.", ["Before  after."], set()),
        ("<whoknows-memory>a <system-reminder>b</whoknows-memory> c</system-reminder> d", [" d"], set()),
        ("<system-reminder>\nx\n</system-reminder> tail", ["", "", " tail"], {1, 2}),
        ("</whoknows-memory>", None, {1}),
    ],
)
def test_what_was_put_in_is_cut_out_and_no_sentence_is_lost_that_only_speaks_of_it(
    text: str, said: list[str] | None, own: set[int]
) -> None:
    lines = text.split("\n")
    assert without_put_in(lines) == (said or lines, own)
    for parsed in parses(lines):
        assert not parsed.unaccounted()
        if "ept" in text:
            assert "Kept." in "".join(s.text for s in parsed.statements)
