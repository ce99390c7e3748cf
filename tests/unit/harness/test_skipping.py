"""Skipping: prompts that ask nothing, and prompts that nobody sent."""

import pytest

from whoknows.harness.events import Prompted, Stopped, SubagentStarted
from whoknows.harness.own_text import without_own
from whoknows.harness.skipping import UNHEARD, why_unasked, why_unbriefed, why_unheard, why_unkept


def prompted(prompt: str, origin: str | None = None, agent: str | None = None) -> Prompted:
    return Prompted("s", "/", "t", prompt, origin, agent)


def unasked(event: Prompted) -> str | None:
    return why_unasked(event, without_own(event.prompt))


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("ok", "short"),
        ("继续", "short"),
        ("go on!", "short"),
        ("👍👍👍👍👍👍👍👍", "short"),
        ("/compact", "command"),
        ("/fix-issue 123 now", "command"),
        ("!ls -la", "shell"),
        ("! git status", "shell"),
        ("<task-notification>\nthe build is done\n</task-notification>", "notification"),
        ("  <task-notification id=3>the build is done", "notification"),
        ("<system-reminder>remember the milk</system-reminder>", "own_text"),
        ("Read HEARTBEAT.md if it exists", "heartbeat"),
        ("HEARTBEAT_OK", "heartbeat"),
        ("This session is being continued from a previous conversation that ran out of context.", "summary"),
    ],
)
def test_what_asks_nothing_gets_nothing(prompt: str, why: str) -> None:
    assert unasked(prompted(prompt)) == why


@pytest.mark.parametrize(
    "prompt",
    [
        "Which port?",
        "数据库端口",
        "/usr/share/doc holds what?",
        "/etc/hosts 是什么意思？",
        "！重要：构建用 pnpm",
        "!重要的事：构建用 pnpm",
        "#1 fix the build",
        "<system-reminder>x</system-reminder> Which port does it use?",
        "a < b and <T> is generic",
    ],
)
def test_what_somebody_asks_is_asked(prompt: str) -> None:
    assert unasked(prompted(prompt)) is None


@pytest.mark.parametrize("origin", ["system", "loop_wakeup", "schedule_wakeup", "poll_event", "peer"])
def test_what_the_program_sends_itself_is_nobodys(origin: str) -> None:
    assert unasked(prompted("Which port does it use?", origin)) == "synthetic"
    assert unasked(prompted("Which port does it use?", "user")) is None
    assert unasked(prompted("Which port does it use?", "sdk")) is None


def test_a_prompt_within_a_sub_agent_gets_nothing() -> None:
    assert unasked(prompted("Which port does it use?", agent="a")) == "sub_agent"


def test_what_is_short_may_still_say_something() -> None:
    event = prompted("用pnpm")
    assert unasked(event) is None or why_unheard(event, event.prompt) is None
    assert why_unheard(prompted("好"), "好") is None
    assert unasked(prompted("好")) == "short"


def test_a_fork_of_the_program_is_told_nothing() -> None:
    assert why_unbriefed(SubagentStarted("s", "/", "a", "")) == "internal"
    assert why_unbriefed(SubagentStarted("s", "/", "a", "Explore")) is None


def test_an_answer_that_is_none_or_a_sub_agents_is_not_kept() -> None:
    assert why_unkept(Stopped("s", "/", "t", "done")) is None
    assert why_unkept(Stopped("s", "/", "t", None)) == "no_answer"
    assert why_unkept(Stopped("s", "/", "t", " ")) == "no_answer"
    assert why_unkept(Stopped("s", "/", "t", "done", "a")) == "sub_agent"


def test_every_reason_for_not_hearing_is_listed() -> None:
    asked = [
        "",
        "<system-reminder>x</system-reminder>",
        "HEARTBEAT_OK",
        "/compact",
        "!ls",
        "<task-notification>x",
        "This session is being continued from a previous conversation",
    ]
    found = {why_unheard(prompted(p), without_own(p)) for p in asked}
    found |= {why_unheard(prompted("x", "system"), "x"), why_unheard(prompted("x", agent="a"), "x")}
    assert found == UNHEARD
