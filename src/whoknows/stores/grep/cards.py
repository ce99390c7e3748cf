"""Cards: one fact as one Markdown file, with its sources in the front matter, for people and for grep to read."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import yaml

from whoknows.domain.fact import Citation

_FENCE = "---\n"
_UNREADABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
"""What YAML takes for a line break, or does not take at all: written by its number."""


@dataclass(frozen=True, slots=True)
class Card:
    text: str
    project_id: str | None
    at: datetime
    citations: tuple[Citation, ...]


def render(card: Card) -> str:
    """Each value in quotes, one a line: what a person can change by hand, and what reads again to the letter."""
    front = [f"at: {_quoted(card.at.isoformat())}"]
    if card.project_id is not None:
        front.append(f"project: {_quoted(card.project_id)}")
    front.append("sources:")
    for c in card.citations:
        front += [f"- source: {_quoted(c.source)}", f"  quote: {'null' if c.quote is None else _quoted(c.quote)}"]
    return "\n".join((_FENCE[:-1], *front, _FENCE[:-1], card.text, ""))


def text_of(written: str) -> str | None:
    """The fact alone, without looking at the rest: most files do not answer most questions."""
    return None if (parts := _parts(written)) is None else parts[1]


def parse(written: str) -> Card | None:
    """The card that a file is; None for what is none, such as a note that somebody laid there."""
    parts = _parts(written)
    try:
        head: Any = None if parts is None else yaml.safe_load(parts[0])
        if parts is None or not isinstance(head, dict):
            return None
        fields = cast(Mapping[str, Any], head)
        cited = [_citation(c) for c in fields["sources"]]
        project = None if fields.get("project") is None else _str(fields["project"])
        at: Any = fields["at"]
        when = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    except (yaml.YAMLError, KeyError, TypeError, ValueError):
        return None
    if when.tzinfo is None:
        return None
    return Card(parts[1], project, when, tuple(cited))


def _parts(written: str) -> tuple[str, str] | None:
    if not written.startswith(_FENCE):
        return None
    front, fence, text = written.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    return (front, text.removesuffix("\n")) if fence else None


def _citation(value: Any) -> Citation:
    return Citation(_str(value["source"]), None if value["quote"] is None else _str(value["quote"]))


def _str(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _quoted(value: str) -> str:
    return _UNREADABLE.sub(lambda m: f"\\u{ord(m[0]):04x}", json.dumps(value, ensure_ascii=False))
