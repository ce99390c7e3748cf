"""What WhoKnows or a harness put into a message is blanked out, place for place; what somebody said stays."""

import json
from datetime import UTC, datetime
from uuid import uuid4

import pytest

from whoknows.context.bundle import PartName
from whoknows.context.findings import findings
from whoknows.context.handover import Group, Line, handed
from whoknows.context.injected import WRAPPERS, own_words
from whoknows.context.layers import MemoryText, Runtime
from whoknows.context.render import HEADINGS, memory, runtime
from whoknows.domain.answer_mode import AnswerMode
from whoknows.harness.own_text import without_own

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
OWN = "我自己说的：定了用 srv-9。"
SECRET = "服务器固定用 srv-4"


def rendered(text: str = SECRET, title: str | None = None) -> str:
    return memory(MemoryText(str(uuid4()), text, title, "decision", "member:mira, message:m1", AT))


def handed_over(chinese: bool) -> str:
    line = Line(SECRET, None, "decision", "member:mira", "agent:main", "injected_by_main", Group.LISTED)
    return handed("worker", "main", SECRET, [line], chinese=chinese, most=10_000, count=len).context


PUT_IN = {
    "a memory of a context": rendered(),
    "a memory that holds fences and blank lines": rendered(f"```\ncode\n```\n\n{SECRET}", "a title"),
    "a heading and two memories": f"{HEADINGS[PartName.PROJECT_MEMORIES]}\n{rendered()}\n{rendered('other')}",
    "a memory whose fence was never closed": rendered().rpartition("\n")[0],
    "a quoted memory": "\n".join(f"> {line}" for line in rendered().splitlines()),
    "a system reminder": f"<system-reminder>\n{SECRET}\n</system-reminder>",
    "a reminder that never ends": f"<system-reminder>\n{SECRET}",
    "a reminder within a reminder": f"<system-reminder><system>{SECRET}</system>\n{SECRET}</system-reminder>",
    "a heartbeat": "HEARTBEAT_OK",
    "a heartbeat with signs": "**HEARTBEAT_OK** ✅",
    "a hit of recall": f"1. 0.83  private · decision · by member:mira\n   {SECRET}\n   from message m1: “x”\n   {uuid4()}",
    "recall as it came over the wire": json.dumps({"outcome": "ok", "memories": [{"content": SECRET}]}, ensure_ascii=False),
    "a list as it came over the wire": json.dumps({"items": [{"content": SECRET}], "next_cursor": None}, ensure_ascii=False),
}


@pytest.mark.parametrize("put_in", PUT_IN.values(), ids=PUT_IN)
def test_nothing_of_what_was_put_in_remains(put_in: str) -> None:
    assert own_words(put_in).strip() == ""
    assert len(own_words(put_in)) == len(put_in)


@pytest.mark.parametrize("put_in", [v for k, v in PUT_IN.items() if "never" not in k and "wire" not in k])
def test_what_stands_around_it_remains_in_its_place(put_in: str) -> None:
    text = f"{OWN}\n{put_in}\nand this too"
    left = own_words(text)
    assert left.split("\n")[0] == OWN
    assert left.split() == f"{OWN} and this too".split()
    assert left.index("and this too") == text.index("and this too")


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<memory>\n<memory>a</memory>", "</memory>"),
        ("< system-reminder >", "</ system-reminder >"),
        ("&lt;system-reminder&gt;", "&lt;/system-reminder&gt;"),
        ("＜system-reminder＞", "＜/system-reminder＞"),
        ("<system-reminder\n kind='x'>", "</system-reminder>"),
        ("<task-notification>", "</task-notification>"),
        ("[SYSTEM REMINDER]", "[/SYSTEM REMINDER]"),
    ],
)
def test_an_element_of_a_harness_goes_however_it_is_written_and_whatever_stands_within(begin: str, end: str) -> None:
    assert own_words(f"{begin}\n{SECRET}\n{end}\n{OWN}").strip() == OWN


def test_a_list_of_memories_as_it_came_over_the_wire_is_no_statement() -> None:
    assert own_words(f'[{{"id": "1", "memory_type": "team", "content": "{SECRET}"}}]').strip() == ""


@pytest.mark.parametrize("chinese", [False, True])
def test_a_handed_over_context_leaves_nothing_but_its_task(chinese: bool) -> None:
    left = own_words(handed_over(chinese))
    assert left.count(SECRET) <= 1  # the task is the giver's own words


def test_an_answer_in_evidence_mode_is_memory_already() -> None:
    nothing = findings([], found=0, chinese=True)
    assert own_words(nothing).strip() == ""
    head = "[Evidence mode: no language model took part] What the memories say about this (2):"
    listed = f"{head}\n\n1. {SECRET}\n2. 一、{SECRET}\n   memory: {uuid4()}\n\n2. {SECRET}\n   memory: {uuid4()}"
    assert own_words(f"{listed}\n{OWN}").strip() == OWN
    alone = f"1. {SECRET}\n   source: message:m1\n   memory: {uuid4()}"
    assert own_words(f"{OWN}\n{alone}").strip() == OWN


def test_the_moment_is_nobodys_statement() -> None:
    now = Runtime(AT, "UTC", "boss", "c", "agent:main", "member:mira", ["backend"], "m-1", "low", AnswerMode.FULL)
    assert own_words("\n".join(runtime(now))).strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        OWN,
        "```python\nprint(1)\n```",
        "1. first we decided on srv-9\n2. then on the port",
        "the memory of the server is 64 GB | it is enough",
        "System: design is settled"[8:],
        '{"port": 5432}',
        "heartbeat interval is 30 seconds from now on",
        "a < b and c > d",
        "",
    ],
)
def test_what_somebody_said_is_left_as_it_is(text: str) -> None:
    assert own_words(text) == text


def test_hostile_texts_take_no_longer_than_they_are_long() -> None:
    for piece in (
        "```memory ",
        "<system-reminder>",
        "[system reminder]",
        "<memory",
        "1.x\n",
        "1. x\n",
        "> ",
        "{",
        "1. 0.50  a · b\n",
        "HEARTBEAT_",
    ):
        text = piece * (30_000 // len(piece))
        assert len(own_words(text)) == len(text)


def test_what_is_taken_out_of_a_prompt_is_blanked_in_a_conversation_too() -> None:
    for name in WRAPPERS:
        text = f"{OWN}\n<{name} a='b'>\n{SECRET}\n</{name}>\n{OWN}"
        assert without_own(text) == f"{OWN}\n\n{OWN}", name
        assert own_words(text).split() == OWN.split() * 2, name


def test_spaces_without_end_behind_a_bracket_are_somebodys_words() -> None:
    text = "<" + 20_000 * " " + "we deploy on Fridays"  # where each space were tried with each other one: a minute
    assert own_words(text) == text
