"""Sources on the wire."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.source import LocationKind
from whoknows.rest.schemas.forms import Form, Label, Told, Words

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e70"
_AT = "2026-01-31T12:00:00Z"
_HASH = "9c8b6f1d3f0e4f0a8d0b7c1e2a3f4d5c6b7a8e90"
_SOURCE: dict[str, Any] = {
    "source_id": _ID,
    "name": "decisions",
    "kind": "git",
    "locator": "https://git.example.org/platform/decisions.git",
    "audience": "team:backend",
    "revision": _HASH,
    "documents": 18,
    "synced_at": _AT,
    "created_at": _AT,
}


class SourceIn(Form):
    """A Git repository or a folder whose documents are to be indexed. Git stays the authority."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"kind": "git", "locator": _SOURCE["locator"], "name": "decisions", "audience": "team:backend"}]
        }
    )

    kind: LocationKind
    locator: Words = Field(max_length=1000)
    """A path on the machine of the server, under one of its source roots; or `https://…` of a Git repository."""
    name: Label
    """One word: `git:<name>@<revision>:<path>` is a source of evidence then."""
    audience: Label = Field(examples=["team:backend", "member:eva", "*"])
    """Who reads the documents: a team, `*` for everyone, or a member, whose account memory they are."""


class Source(Told):
    """A source, as those see it who read its documents, and administrators."""

    model_config = ConfigDict(json_schema_extra={"examples": [_SOURCE]})

    source_id: UUID
    name: str
    kind: LocationKind
    locator: str
    audience: str
    revision: str | None
    """What the index shows: a commit, or the state of a folder; null before the first synchronisation."""
    documents: int
    synced_at: datetime | None
    created_at: datetime


class SourceList(Told):
    """All sources that the caller sees, by name."""

    items: list[Source]
    next_cursor: str | None


class Renamed(Told):
    """A document that moved; its memories keep their ids."""

    was: str
    path: str


class Unreadable(Told):
    """A file that is not in the index, and why."""

    path: str
    why: str


class Doubt(Told):
    """What a document claims and what does not count."""

    path: str
    check: str = Field(examples=["unknown_target"])
    """`unknown_target`, `ambiguous_target`, `cycle`, `superseded_twice`, `in_part`, `does_not_count` or `successor_unknown`."""
    message: str


class Synced(Told):
    """What a synchronisation has changed in the index, by path."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "source": _SOURCE,
                    "revision": _HASH,
                    "documents": 18,
                    "unchanged": 16,
                    "added": ["0018-cowork.md"],
                    "changed": ["0007-three-lines.md"],
                    "renamed": [],
                    "removed": [],
                    "unreadable": [],
                    "findings": [],
                }
            ]
        }
    )

    source: Source
    revision: str
    documents: int
    unchanged: int
    added: list[str]
    changed: list[str]
    renamed: list[Renamed]
    removed: list[str]
    unreadable: list[Unreadable]
    findings: list[Doubt]
