"""Events: what a program sends to a hook, read into typed values; what is new in a later release is no error."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b
from typing import cast

from whoknows.domain.harness import Program
from whoknows.errors import Invalid
from whoknows.policy.workplaces import MOST_BYTES

MOST_ID = 80
"""Characters of a session, a turn or an agent as a program numbers it. The programs send UUIDs."""
_MOST_WORD = 200


class Source(StrEnum):
    """How a session began."""

    STARTUP = "startup"
    RESUME = "resume"
    CLEAR = "clear"
    COMPACT = "compact"
    FORK = "fork"


@dataclass(frozen=True, slots=True)
class SessionStarted:
    session_id: str
    cwd: str
    source: Source


@dataclass(frozen=True, slots=True)
class Prompted:
    """``origin``: who sent it, where the program says so. ``agent``: the sub-agent in which it was sent, None outside."""

    session_id: str
    cwd: str
    turn_id: str
    prompt: str
    origin: str | None = None
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class SubagentStarted:
    """``kind`` is empty for what a program forks for itself."""

    session_id: str
    cwd: str
    agent: str
    kind: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The turn is over. ``turn_id`` None: the program does not say which. ``answer``: what it said last."""

    session_id: str
    cwd: str
    turn_id: str | None
    answer: str | None
    agent: str | None = None


Event = SessionStarted | Prompted | SubagentStarted | Stopped

_TURN = {Program.CLAUDE_CODE: "prompt_id", Program.CODEX: "turn_id", Program.PI: "turn_id"}
"""What each program calls the number of a turn."""


def read_event(program: Program, raw: object) -> Event | None:
    """The event, or None for one that memory has no part in. Invalid, naming the field, where a field it needs is not one."""
    if not isinstance(raw, dict):
        raise Invalid("the body is one JSON object: the event as the program gave it", field="body")
    fields = cast(Mapping[str, object], raw)
    match _text(fields, "hook_event_name", _MOST_WORD):
        case "SessionStart":
            source = _optional(fields, "source", _MOST_WORD) or Source.STARTUP
            # A way of beginning that is not known yet gets nothing, rather than a guess.
            return SessionStarted(*_where(fields), Source(source)) if source in set(Source) else None
        case "UserPromptSubmit":
            prompt = _words(fields, "prompt") or ""
            turn = _id(fields, _TURN[program]) or f"prompt-{blake2b(prompt.encode(), digest_size=12).hexdigest()}"
            origin = _optional(fields, "source", _MOST_WORD)
            return Prompted(*_where(fields), turn, prompt, origin, _id(fields, "agent_id"))
        case "SubagentStart":
            agent = _id(fields, "agent_id")
            kind = _optional(fields, "agent_type", _MOST_WORD) or ""
            return None if agent is None else SubagentStarted(*_where(fields), agent, kind)
        case "Stop":
            answer = _words(fields, "last_assistant_message", may_be_null=True)
            return Stopped(*_where(fields), _id(fields, _TURN[program]), answer, _id(fields, "agent_id"))
        case _:
            return None


def _where(fields: Mapping[str, object]) -> tuple[str, str]:
    session = _id(fields, "session_id")
    if session is None:
        raise Invalid("the event names no session", field="session_id")
    return session, _text(fields, "cwd", MOST_BYTES)


def _text(fields: Mapping[str, object], name: str, most: int) -> str:
    found = fields.get(name)
    if not isinstance(found, str):
        raise Invalid("this is a text", field=name)
    if len(found) > most:
        raise Invalid(f"{len(found)} characters, {most} are accepted", field=name)
    if any(c == "\0" or 0xD800 <= ord(c) <= 0xDFFF for c in found):
        raise Invalid("a NUL or half a character stands in it", field=name)
    return found


def _optional(fields: Mapping[str, object], name: str, most: int) -> str | None:
    return None if fields.get(name) is None else _text(fields, name, most)


def _id(fields: Mapping[str, object], name: str) -> str | None:
    found = _optional(fields, name, MOST_ID)
    if found is not None and any(ord(c) < 0x20 or c == "\x7f" for c in found):
        raise Invalid("control characters stand in it", field=name)
    return found or None


def _words(fields: Mapping[str, object], name: str, may_be_null: bool = False) -> str | None:
    """What somebody said, whatever it holds: characters that no database carries become a mark."""
    found = fields.get(name)
    if found is None and may_be_null:
        return None
    if not isinstance(found, str):
        raise Invalid("this is a text", field=name)
    return found.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
