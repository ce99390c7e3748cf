"""Front matter: the fields at the head of a document, one level deep. Lists come out as lines."""

import re
from collections.abc import Sequence

from whoknows.documents.lines import Kind, Line


def fields_of(lines: Sequence[Line]) -> dict[str, str]:
    """Names in lower case with their values. What is nested deeper is passed over."""
    fields: dict[str, str] = {}
    name = ""
    for line in lines[1:]:
        if line.kind is not Kind.FRONT:
            break
        text = line.text
        key, colon, value = text.partition(":")
        if colon and key and not key[0].isspace() and not key.startswith(("-", "#")):
            name = key.strip().lower()
            fields[name] = _plain(value)
        elif name and text.strip().startswith("- "):
            fields[name] = f"{fields[name]}\n{_plain(text.strip()[2:])}".strip("\n")
    return fields


def listed(value: str) -> tuple[str, ...]:
    """``[a, b]``, ``a, b`` or one a line."""
    parts = (part.strip().strip("'\"") for part in re.split(r"[,，、\n]", value.strip("[]")))
    return tuple(dict.fromkeys(part for part in parts if part))


def _plain(value: str) -> str:
    value = value.strip()
    if value[:1] not in ("'", '"'):
        value = value.partition(" #")[0].rstrip()
    return value.strip("'\"")
