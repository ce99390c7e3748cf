"""Outputs: what each program is answered; only fields that all of them know, since one of them refuses any other."""

from typing import Any

from whoknows.harness.events import Event, Prompted, SessionStarted, Stopped, SubagentStarted


def output(event: Event | None, context: str | None = None, notice: str | None = None) -> dict[str, Any]:
    """The answer to ``event``; empty where there is nothing to say.

    ``context`` goes to the model, beside what the event brought; ``notice`` is shown to the person alone.
    """
    told: dict[str, Any] = {}
    name = None if event is None else _name(event)
    if context and name is not None:
        told["hookSpecificOutput"] = {"hookEventName": name, "additionalContext": context}
    if notice and event is not None:
        told["systemMessage"] = notice
    return told


def _name(event: Event) -> str | None:
    """As the programs call it; None for one that takes no context."""
    match event:
        case SessionStarted():
            return "SessionStart"
        case Prompted():
            return "UserPromptSubmit"
        case SubagentStarted():
            return "SubagentStart"
        case Stopped():
            return None
