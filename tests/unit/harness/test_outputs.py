"""Outputs: every program takes them; Codex refuses a whole output for one field that it does not know."""

from codex_outputs import taken

from whoknows.harness.events import Prompted, SessionStarted, Source, Stopped, SubagentStarted
from whoknows.harness.outputs import output

EVENTS = {
    "UserPromptSubmit": Prompted("s", "/", "t", "p"),
    "SessionStart": SessionStarted("s", "/", Source.STARTUP),
    "SubagentStart": SubagentStarted("s", "/", "a", "Explore"),
    "Stop": Stopped("s", "/", "t", "done"),
}


def test_codex_takes_every_output() -> None:
    for name, event in EVENTS.items():
        for context in (None, "", "what is known"):
            for notice in (None, "degraded"):
                assert taken(name, output(event, context, notice)), name


def test_the_copy_of_the_schemas_refuses_what_codex_refuses() -> None:
    context = {"hookEventName": "UserPromptSubmit", "additionalContext": "x"}
    assert not taken("UserPromptSubmit", {"hookSpecificOutput": {**context, "sessionTitle": "x"}})
    assert not taken("UserPromptSubmit", {"hookSpecificOutput": context, "onFailure": "continue"})
    assert not taken("Stop", {"hookSpecificOutput": {**context, "hookEventName": "Stop"}})
    assert not taken("SessionStart", {"hookSpecificOutput": context})


def test_nothing_is_an_empty_object() -> None:
    assert output(None) == {}
    assert output(None, "x", "y") == {}
    assert output(EVENTS["UserPromptSubmit"]) == {}


def test_a_stop_takes_no_context() -> None:
    assert output(EVENTS["Stop"], "x") == {}
