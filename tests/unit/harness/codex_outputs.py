"""What Codex 0.171 takes from a hook, as its own schemas say it: an object with these fields and no others."""

from typing import Any

_UNIVERSAL: dict[str, type] = {"continue": bool, "stopReason": str, "suppressOutput": bool, "systemMessage": str}
_CONTEXT = ("SessionStart", "UserPromptSubmit", "SubagentStart")


def taken(event: str, output: dict[str, Any]) -> bool:
    """Whether the output of ``event`` is taken rather than refused as a whole."""
    rest = {k: v for k, v in output.items() if k not in _UNIVERSAL}
    if any(not isinstance(output[k], t) for k, t in _UNIVERSAL.items() if k in output):
        return False
    if not rest:
        return True
    specific = rest.pop("hookSpecificOutput", None)
    return (
        not rest
        and event in _CONTEXT
        and isinstance(specific, dict)
        and specific.get("hookEventName") == event
        and set(specific) <= {"hookEventName", "additionalContext"}
        and isinstance(specific.get("additionalContext", ""), str)
    )
