"""Events: what the programs send today, what they may send tomorrow, and what nobody should send."""

from typing import Any

import pytest

from whoknows.domain.harness import Program
from whoknows.errors import Invalid
from whoknows.harness.events import Prompted, SessionStarted, Source, Stopped, SubagentStarted, read_event

COMMON = {"session_id": "s", "transcript_path": None, "cwd": "/srv/boss", "permission_mode": "default", "model": "m"}
TURN = {Program.CLAUDE_CODE: "prompt_id", Program.CODEX: "turn_id", Program.PI: "turn_id"}
ALL = pytest.mark.parametrize("program", list(Program))


def event(name: str, **fields: Any) -> dict[str, Any]:
    return {**COMMON, "hook_event_name": name, **fields}


@ALL
def test_a_prompt_is_known_by_its_turn(program: Program) -> None:
    raw = event("UserPromptSubmit", prompt="hello", **{TURN[program]: "t"})
    assert read_event(program, raw) == Prompted("s", "/srv/boss", "t", "hello")


@ALL
def test_a_stop_brings_the_last_answer_or_none(program: Program) -> None:
    raw = event("Stop", stop_hook_active=False, last_assistant_message="done", **{TURN[program]: "t"})
    assert read_event(program, raw) == Stopped("s", "/srv/boss", "t", "done")
    assert read_event(program, raw | {"last_assistant_message": None}) == Stopped("s", "/srv/boss", "t", None)


@ALL
@pytest.mark.parametrize("source", list(Source))
def test_a_session_begins_in_one_of_five_ways(program: Program, source: Source) -> None:
    assert read_event(program, event("SessionStart", source=str(source))) == SessionStarted("s", "/srv/boss", source)


def test_a_way_of_beginning_that_is_new_gets_nothing() -> None:
    assert read_event(Program.CODEX, event("SessionStart", source="teleport")) is None


def test_sub_agents_are_told_from_what_a_program_forks_for_itself() -> None:
    raw = event("SubagentStart", agent_id="a", agent_type="general-purpose")
    assert read_event(Program.CLAUDE_CODE, raw) == SubagentStarted("s", "/srv/boss", "a", "general-purpose")
    assert read_event(Program.CLAUDE_CODE, raw | {"agent_type": ""}) == SubagentStarted("s", "/srv/boss", "a", "")
    assert read_event(Program.CLAUDE_CODE, event("SubagentStart")) is None


@pytest.mark.parametrize("name", ["PreCompact", "PostCompact", "SessionEnd", "SubagentStop", "PreToolUse", "SomethingNew", ""])
def test_other_events_are_none_of_ours(name: str) -> None:
    assert read_event(Program.CLAUDE_CODE, {"hook_event_name": name}) is None


def test_fields_that_nobody_knows_yet_are_not_looked_at() -> None:
    raw = event("UserPromptSubmit", prompt="hello", turn_id="t", something={"deep": [1, None]}, effort={"level": "high"})
    assert isinstance(read_event(Program.CODEX, raw), Prompted)


def test_a_prompt_without_a_number_is_known_by_its_words() -> None:
    one, same, other = (read_event(Program.CLAUDE_CODE, event("UserPromptSubmit", prompt=p)) for p in ("a b", "a b", "a c"))
    assert isinstance(one, Prompted)
    assert isinstance(other, Prompted)
    assert one == same
    assert one.turn_id != other.turn_id


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (None, "body"),
        ([], "body"),
        ("x", "body"),
        ({}, "hook_event_name"),
        ({"hook_event_name": 1}, "hook_event_name"),
        (event("UserPromptSubmit", turn_id="t"), "prompt"),
        (event("UserPromptSubmit", turn_id="t", prompt=["a"]), "prompt"),
        (event("UserPromptSubmit", turn_id=7, prompt="a"), "turn_id"),
        (event("UserPromptSubmit", turn_id="t" * 81, prompt="a"), "turn_id"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", session_id=""), "session_id"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", session_id="a\nb"), "session_id"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", session_id="a\0"), "session_id"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", session_id=None), "session_id"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", cwd=None), "cwd"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", cwd="/" * 4097), "cwd"),
        (event("UserPromptSubmit", turn_id="t", prompt="a", cwd="/\ud800"), "cwd"),
        (event("Stop", turn_id="t", last_assistant_message=3), "last_assistant_message"),
        (event("SessionStart", source=5), "source"),
    ],
)
def test_an_event_that_is_none_names_the_field(raw: object, field: str) -> None:
    with pytest.raises(Invalid) as told:
        read_event(Program.CODEX, raw)
    assert told.value.field == field


def test_a_prompt_may_hold_anything() -> None:
    found = read_event(Program.CODEX, event("UserPromptSubmit", turn_id="t", prompt="a\0b\ud800c"))
    assert isinstance(found, Prompted)
    assert found.prompt.encode().decode() == found.prompt
    assert "\0" not in found.prompt
