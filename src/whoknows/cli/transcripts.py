"""Transcripts: a conversation in a file, as JSON lines, as a JSON list or as plain lines that begin with who speaks."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

from whoknows.cli.faults import CliFault, ExitCode

if TYPE_CHECKING:
    from whoknows.client.distilling import ChatMessage

Json = dict[str, Any]
_SPEAKERS = {
    "user": "user", "human": "user", "me": "user", "用户": "user", "我": "user",
    "assistant": "assistant", "ai": "assistant", "agent": "assistant", "bot": "assistant", "助手": "assistant",
    "助理": "assistant",
    "system": "system", "系统": "system", "tool": "tool", "工具": "tool",
}  # fmt: skip
_SPEAKS = re.compile(rf"(?P<who>{'|'.join(_SPEAKERS)})\s*[:：]\s?", re.IGNORECASE)
MOST = 1000
"""Messages of one request."""


@dataclass(frozen=True, slots=True)
class Part:
    """Messages of one project, as many as one request takes."""

    project: str
    messages: "list[ChatMessage]"


def parts(text: str, name: str, project: str | None) -> list[Part]:
    """``text`` as messages, in order. Those without an id are called by ``name`` and their number, so that the same file again
    is the same conversation. ``project`` where a message names none.

    Raises CliFault, with the line, for what cannot be read.
    """
    stripped = text.lstrip()
    messages = list(_objects(text, stripped) if stripped.startswith(("{", "[")) else _plain(text))
    spoken = [_message(m, n, name, project) for n, m in enumerate(messages, 1)]
    found: list[Part] = []
    for of, group in groupby(spoken, key=lambda both: both[0]):
        some = [m for _, m in group]
        found += (Part(of, some[start : start + MOST]) for start in range(0, len(some), MOST))
    return found


def _objects(text: str, stripped: str) -> Iterator[Json]:
    if stripped.startswith("["):
        try:
            whole = json.loads(text)
        except ValueError as e:
            raise _fault(f"this is no JSON: {e}") from e
        for n, item in enumerate(cast(Sequence[object], whole), 1):
            yield _object(item, f"item {n}")
        return
    for n, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                item = json.loads(line)
            except ValueError as e:
                raise _fault(f"line {n} is no JSON: {e}") from e
            yield _object(item, f"line {n}")


def _object(item: object, place: str) -> Json:
    if not isinstance(item, dict):
        raise _fault(f"{place} is no object with role and content")
    told = cast(Json, item)
    for field in ("role", "content"):
        if not isinstance(told.get(field), str):
            raise _fault(f"{place} has no `{field}`: every message needs `role` (user, assistant) and `content`")
    return told


def _plain(text: str) -> Iterator[Json]:
    """A message goes on until the next line that begins with who speaks."""
    role, lines = "", list[str]()
    for n, line in enumerate(text.splitlines(), 1):
        speaks = _SPEAKS.match(line)
        if speaks:
            if role:
                yield {"role": role, "content": "\n".join(lines).strip()}
            role, lines = _SPEAKERS[speaks["who"].lower()], [line[speaks.end() :]]
        elif role:
            lines.append(line)
        elif line.strip():
            raise _fault(f"line {n} does not say who speaks: begin messages with `user:` or `assistant:`, or give JSON lines")
    if role:
        yield {"role": role, "content": "\n".join(lines).strip()}


def _message(told: Json, n: int, name: str, project: str | None) -> "tuple[str, ChatMessage]":
    of = told.get("projectId") or project
    if not isinstance(of, str):
        raise _fault(f"message {n} belongs to no project: name one by --project")
    role = _SPEAKERS.get(str(told["role"]).lower())
    if role is None:
        raise _fault(f"message {n}: {told['role']!r} is nobody who speaks: user, assistant, system or tool")
    return of, {"id": str(told.get("id") or f"{name}#{n}"), "role": role, "content": told["content"]}


def _fault(detail: str) -> CliFault:
    return CliFault("invalid", detail, ExitCode.INVALID)
