"""Paths of memories that are shown as files: where each one stands, and which memory a path means."""

import re
from pathlib import PurePosixPath

from whoknows.client.answers import Memory

GENERAL = "general"
"""The folder of what belongs to no project."""
CATEGORIES = frozenset((
    "user_preference", "project_progress", "decision", "risk", "blocking_issue", "research_note", "workflow_rule", "fact",
    "experience", "correction",
))  # fmt: skip
"""Those that a file may be written in; observations are made."""
CHOSEN = "file:"
"""The tag of a memory that was written as a file, before its path."""
LONGEST = 190
"""Characters of a path: with its mark it is a tag, and those have 200."""
_OWN_NAME = re.compile(r"-([0-9a-f]{8})\.md$")
_SLUG = 40


class BadPath(ValueError):
    """This cannot be the path of a memory."""


def normal(path: str) -> str:
    """An absolute path without double slashes, ``.`` or a slash at the end. BadPath for one that leads elsewhere."""
    if not path.startswith("/"):
        raise BadPath(f"the path {path!r} does not begin with /")
    if "\\" in path or any(ord(c) < 32 or ord(c) == 127 or 0xD800 <= ord(c) <= 0xDFFF for c in path):
        raise BadPath(f"the path {path!r} holds characters that a path may not have")
    parts = PurePosixPath(path).parts[1:]
    if ".." in parts or any(p.startswith("~") for p in parts[:1]):
        raise BadPath(f"the path {path!r} leads out of the folder")
    found = "/" + "/".join(parts)
    if len(found) > LONGEST:
        raise BadPath(f"the path has {len(found)} characters, {LONGEST} are accepted")
    return found


def chosen(memory: Memory) -> str | None:
    """The path under which somebody wrote it; None for what was not written as a file."""
    path = next((t.removeprefix(CHOSEN) for t in memory["tags"] if t.startswith(CHOSEN)), None)
    try:
        return None if path is None or normal(path) != path else path
    except BadPath:
        return None


def derived(memory: Memory) -> str:
    """``/<project or general>/<category>/<slug>-<last 8 of the id>.md``: the first of a UUIDv7 are those of its neighbours."""
    project = memory["project_id"]
    folder = GENERAL if project is None else _segment(project)
    return f"/{folder}/{memory['category']}/{_slug(memory['title'] or memory['content'])}-{memory['id'][-8:]}.md"


def meant(path: str) -> str | None:
    """The last eight of the id that a derived path names, whatever the words before them say by now."""
    found = _OWN_NAME.search(path)
    return found[1] if found else None


def category_of(path: str) -> str:
    """The category that a new file gets from its folder."""
    return next((p for p in PurePosixPath(path).parts[1:-1] if p in CATEGORIES), "fact")


def is_under(path: str, folder: str) -> bool:
    return folder in ("/", path) or path.startswith(folder + "/")


def _segment(name: str) -> str:
    """A name as one part of a path: it may hold any characters, and is not taken for another folder."""
    safe = "".join(f"%{ord(c):02X}" if c in "%/\\" or ord(c) < 32 else c for c in name)
    return f"%{ord(safe[0]):02X}{safe[1:]}" if safe.startswith((".", "~")) or safe == GENERAL else safe


def _slug(text: str) -> str:
    words = re.sub(r"[\W_]+", "-", text.strip().split("\n", 1)[0].lower())
    return words.strip("-")[:_SLUG].strip("-") or "memory"
