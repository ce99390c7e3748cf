"""A memory as the text of a file: what is known about it in front, its words below, and back again."""

import re
from dataclasses import dataclass

from whoknows.client.answers import Memory

_BLOCK = re.compile(r"\A---\n(.*?)\n---\n\n?", re.DOTALL)
_CHANGEABLE = ("category", "title", "tags")


class FixedLine(ValueError):
    """A line of the front matter was changed that says how things are."""


@dataclass(frozen=True, slots=True)
class Words:
    """What an edited file wants the memory to be; None for what stays."""

    content: str
    category: str | None = None
    title: str | None = None
    tags: tuple[str, ...] | None = None


def text_of(memory: Memory) -> str:
    return f"{_front(memory)}\n{memory['content']}"


def words_of(text: str, memory: Memory) -> Words:
    """Parse the file again. FixedLine where a line was changed that cannot be; without front matter all of it is content."""
    found = _BLOCK.match(text)
    if found is None:
        return Words(text)
    before, after = _fields(_front(memory)), _fields(found[0])
    for name in (before.keys() | after.keys()) - set(_CHANGEABLE):
        if before.get(name) != after.get(name):
            raise FixedLine(
                f"the line {name!r} of the front matter says how it is: only {', '.join(_CHANGEABLE)} can be changed"
            )
    changed = {n: after.get(n, "") for n in _CHANGEABLE if before.get(n) != after.get(n)}
    tags = tuple(t.strip() for t in changed["tags"].split(",") if t.strip()) if "tags" in changed else None
    return Words(text[found.end() :], changed.get("category"), changed.get("title"), tags)


def _front(memory: Memory) -> str:
    lines = {
        "id": memory["id"],
        "category": memory["category"],
        "title": memory["title"] or "",
        "tags": ", ".join(memory["tags"]),
        "project": memory["project_id"] or "",
        "from": _whence(memory),
        "sources": ", ".join(e["locator"] + ("" if e["verified"] else " (not verified)") for e in memory["evidence"]),
        "replaces": "; ".join(f"{o['content']} ({o['reason'] or 'no reason given'})" for o in memory["overturned"]),
        "updated": memory["updated_at"],
    }
    # One line each: nothing in a value can end the front matter.
    told = [f"{name}: {' '.join(value.split())}" for name, value in lines.items() if value]
    return "\n".join(("---", *told, "---", ""))


def _whence(memory: Memory) -> str:
    if memory["injected_by"]:
        return f"injected by {memory['injected_by']}"
    return f"{memory['author']}, for the team {memory['team_id']}" if memory["team_id"] else memory["author"]


def _fields(block: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in block.strip().strip("-").strip().split("\n"))
    return {name.strip(): value.strip() for name, _, value in pairs}
