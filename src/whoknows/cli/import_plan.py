"""The plan of an import: what the files of a folder say, as memories, and what became of each at the last import."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from whoknows.documents.chronicle import TAG, Part, chronicle_of
from whoknows.documents.document import Document, document_of
from whoknows.documents.lineage import Lineage, lineage_of
from whoknows.documents.pieces import By, pieces_of
from whoknows.sources.folder import File, Unreadable, markdown_files

Json = dict[str, Any]
_SUBJECT = 200
"""Longest subject that the interface takes, in characters."""


@dataclass(frozen=True, slots=True)
class Item:
    """One memory to be. ``head`` is the subject of its document; its own where it is the head."""

    path: str
    subject: str
    head: str
    body: Json

    @property
    def is_head(self) -> bool:
        return self.subject == self.head


@dataclass(frozen=True, slots=True)
class Plan:
    """``name`` is that of the folder: by it and the path a later import knows again what this one stored."""

    name: str
    items: Sequence[Item]
    chronicle: Sequence[Sequence[Item]]
    """The list of all records by their dates: the same words once for each record that they cite."""
    lineage: Lineage
    paths: Sequence[str]
    unreadable: Sequence[Unreadable]

    def head(self, path: str) -> str:
        return _subject(self.name, path, "")


def plan_of(folder: Path, name: str, by: By, tags: Sequence[str], shared: Json) -> Plan:
    """All Markdown files of ``folder`` as memories, whose fields are ``shared`` beside their own."""
    files: list[File] = []
    unreadable: list[Unreadable] = []
    for found in markdown_files(folder):
        match found:
            case File():
                files.append(found)
            case Unreadable():
                unreadable.append(found)
    documents = [document_of(f.text, f.path) for f in files]
    items = [item for d in documents for item in _items(d, name, by, tags, shared)]
    lineage = lineage_of(documents)
    parts = enumerate(chronicle_of(documents, lineage), start=1)
    chronicle = [_chronicle(part, n, name, tags, shared) for n, part in parts]
    return Plan(name, items, chronicle, lineage, [d.path for d in documents], unreadable)


def _chronicle(part: Part, n: int, name: str, tags: Sequence[str], shared: Json) -> list[Item]:
    subject = _subject(name, "", f"chronicle-{n}")
    items: list[Item] = []
    for entry in part.entries:
        body: Json = {
            "content": part.text,
            "title": part.title,
            "tags": list(dict.fromkeys((TAG, *tags))),
            "category": "decision",
            "source": f"file:{name}/{entry.path}",
            "quote": entry.quote,
            "subject": subject,
        }
        items.append(Item("", subject, subject, body | shared))
    return items


def _items(document: Document, name: str, by: By, tags: Sequence[str], shared: Json) -> Iterable[Item]:
    head = _subject(name, document.path, "")
    for piece in pieces_of(document, by):
        subject = _subject(name, document.path, piece.anchor)
        body: Json = {
            "content": piece.text,
            "title": piece.title,
            "tags": list(dict.fromkeys((*document.labels, *tags))),
            "category": "fact" if document.status is None else "decision",
            "source": f"file:{name}/{document.path}",
            "quote": piece.quote,
            "subject": subject,
        }
        yield Item(document.path, subject, head, body | shared)


def _subject(name: str, path: str, anchor: str) -> str:
    whole = f"{prefix(name)}{path}" + (f"#{anchor}" if anchor else "")
    if len(whole) <= _SUBJECT:
        return whole
    return f"{prefix(name)}{hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()}"


def prefix(name: str) -> str:
    """What the subjects of a folder begin with."""
    return f"file:{name[:100]}/"


@dataclass(frozen=True, slots=True)
class Known:
    """What earlier imports of the folder stored, by subject: what is current, and, newest first, what is not any more."""

    current: Mapping[str, Json]
    former: Mapping[str, Sequence[Json]] = field(default_factory=dict[str, Sequence[Json]])

    @classmethod
    def of(cls, memories: Iterable[Json], name: str, like: Json, me: str) -> "Known":
        """Those of ``memories`` (newest first) that ``me`` wrote, for the same readers and project as this import."""
        current: dict[str, Json] = {}
        former: dict[str, list[Json]] = {}
        for memory in memories:
            subject = memory["subject"] or ""
            mine = any(a["author"] == me for a in memory["authors"])
            if not mine or not subject.startswith(prefix(name)) or not _alike(memory, like):
                continue
            if memory["state"] == "active":
                current.setdefault(subject, memory)
            else:
                former.setdefault(subject, []).append(memory)
        return cls(current, former)

    def find(self, item: Item, lapsed: bool) -> Json | None:
        """The memory that says already what ``item`` says, where it is as it should be: current, or for a document that has
        lapsed put away."""
        said = self.current.get(item.subject)
        if said is None and lapsed:
            said = next(iter(self.former.get(item.subject, ())), None)
        return said if said is not None and _says(said, item) else None


def _says(memory: Json, item: Item) -> bool:
    return (memory["content"], memory["title"]) == (item.body["content"], item.body["title"])


def _alike(memory: Json, like: Json) -> bool:
    if (memory["memory_type"], memory["project_id"]) != (like["memory_type"], like["project_id"]):
        return False
    if like["memory_type"] == "team" and memory["team_id"] != (like["team_id"] or "*"):
        return False
    named = {f"agent:{n.removeprefix('agent:')}" for n in like["visible_to"]}
    if like["memory_type"] == "team" and not named:
        return set(memory["visible_to"]) == {"*" if memory["team_id"] == "*" else f"team:{memory['team_id']}"}
    return set(memory["visible_to"]) == named | {memory["author"]}
