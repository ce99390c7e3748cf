"""What may be printed of an answer: context and a message, of sane size; nothing that could stop or erase a prompt."""

from __future__ import annotations

from . import plain_json
from .faults import Fault
from .parsing import checked, parsed

MOST = 10_000
"""Characters of context: both programs cut what is longer and put a file's name in its place."""
_MESSAGE = 500
_TAKES_CONTEXT = ("SessionStart", "UserPromptSubmit", "SubagentStart")
"""On Stop a context would keep the turn going."""


def output(event: str, body: bytes) -> bytes:
    """Nothing where there is nothing to say. Fault for what is no answer to ``event``."""
    answer = parsed(body, "not_json", "wrong_form", counts=True)
    printed: dict[str, object] = {}
    message = answer.get("systemMessage")
    if message is not None:
        # It is shown as it is: nothing in it may act on a terminal.
        printed["systemMessage"] = "".join(c if ord(c) > 0x9F or " " <= c < "\x7f" else " " for c in _text(message, _MESSAGE))
    specific = answer.get("hookSpecificOutput")
    if specific is not None:
        given = checked(specific, "wrong_form")
        if given.get("hookEventName") != event or event not in _TAKES_CONTEXT:
            raise Fault("wrong_form")
        context = _text(given.get("additionalContext", ""), MOST)
        if context:
            printed["hookSpecificOutput"] = {"hookEventName": event, "additionalContext": context}
    return written(printed) if printed else b""


def written(printed: dict[str, object]) -> bytes:
    # Half a pair of surrogates is no character, and not worth a prompt.
    return plain_json.dumps(printed, in_ascii=False).encode("utf-8", "replace") + b"\n"


def _text(value: object, most: int) -> str:
    if not isinstance(value, str):
        raise Fault("wrong_form")
    if len(value) > most:
        raise Fault("too_long")
    return value
