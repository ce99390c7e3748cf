"""Front matter as programs write it: fields at the head of a file, one level deeper under `metadata`, and often broken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Front:
    """``end``: how many lines it takes. Of a field that is named twice the last one counts."""

    fields: dict[str, str]
    end: int = 0


def front_of(lines: Sequence[str]) -> Front:
    """Where the closing mark is missing, as far as there are fields."""
    if not lines or lines[0].rstrip() != "---":
        return Front({})
    closed = next((n for n, line in enumerate(lines[1:_MOST], 2) if line.rstrip() in ("---", "...")), None)
    end = closed or 1 + next((n for n, line in enumerate(lines[1:]) if not _FIELD.match(line)), len(lines) - 1)
    return Front(_fields(lines[1 : end - 1 if closed else end]), end)


def _fields(lines: Sequence[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in lines:
        if found := _FIELD.match(line):
            name = found["name"].lower()
            fields[name] = _plain(found["value"])
        elif name and line[:1].isspace() and line.strip():  # a long value that goes on
            fields[name] = f"{fields[name]} {line.strip()}".strip()
    return fields


def _plain(value: str) -> str:
    value = value.strip()
    if value in (">", "|", ">-", "|-"):
        return ""
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return value[1:-1] if quoted else value


_MOST = 200
"""Lines of front matter; what goes on longer is a text that begins with a line."""
_FIELD = re.compile(r"\s{0,8}(?P<name>[A-Za-z_][\w-]{0,40}):(?P<value>\s.*|$)")
