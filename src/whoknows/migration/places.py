"""Which project a note belongs to: by what was registered or said, and never by a guess."""

import json
import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote

from whoknows.migration.claude import is_folder_of
from whoknows.migration.homes import Native
from whoknows.migration.statements import GENERAL, Place

LEAVE, NO_PROJECT = "-", "*"
"""What `--map` may say instead of a project: leave it out; keep it, of no project."""


@dataclass(frozen=True, slots=True)
class InProject:
    """``project`` None: of no project."""

    project: str | None


@dataclass(frozen=True, slots=True)
class Unplaced:
    """It waits. ``code`` is ``project_unknown``, ``project_ambiguous``, ``left_out`` where that was said, or
    ``committed`` where others may have written it."""

    code: str
    why: str


@dataclass(frozen=True, slots=True)
class Registered:
    """A directory of this machine that was connected to a project."""

    program: str
    directory: str
    project: str


@dataclass(frozen=True, slots=True)
class Places:
    """``mapped``: what was said in ``--map``, by directory or key."""

    program: Native
    registered: Sequence[Registered]
    mapped: Mapping[str, str]

    def of(self, place: Place) -> InProject | Unplaced:
        if place == GENERAL:
            return InProject(None)
        if (said := self._said(place)) is not None:
            return said
        found = {d: self._route(d) for d in place.directories}
        projects = {p for p in found.values() if p is not None}
        if len(projects) > 1:
            names = ", ".join(f"{d} → {p}" for d, p in found.items())
            return Unplaced("project_ambiguous", f"it may be of several projects ({names}): say which with --map")
        if not projects or (None in found.values() and self.program is Native.CODEX):
            where = next((d for d, p in found.items() if p is None), place.key)
            return Unplaced("project_unknown", f"{where} is connected to no project: say `--map {quote(where)}=PROJECT`")
        return InProject(projects.pop())

    def _said(self, place: Place) -> InProject | Unplaced | None:
        said = {self._mapped(d) for d in (place.key, *place.directories)} - {None}
        if len(said) > 1:
            return Unplaced("project_ambiguous", f"--map says several projects of {place.key}")
        project = next(iter(said), None)
        if project is None:
            return None
        if project == LEAVE:
            return Unplaced("left_out", "it was left out on purpose")
        return InProject(None if project == NO_PROJECT else project)

    def _mapped(self, key: str) -> str | None:
        if key in self.mapped:
            return self.mapped[key]
        above = [d for d in self.mapped if d.startswith("/") and _holds(d, key)]
        if above:
            return self.mapped[max(above, key=len)]
        if self.program is Native.CLAUDE_CODE and not key.startswith("/"):
            return next((p for d, p in self.mapped.items() if d.startswith("/") and is_folder_of(key, d)), None)
        return None

    def _route(self, directory: str) -> str | None:
        """The longest directory that was connected, for this program before others of the same person."""
        above = [r for r in self.registered if _holds(r.directory, directory)]
        best = max(above, key=lambda r: (len(r.directory), r.program == self.program), default=None)
        return None if best is None else best.project


def place_of_folder(name: str, sessions: Path | None, candidates: Iterable[str]) -> Place:
    """The place of a folder of Claude Code: the directories it may stand for, among ``candidates`` and what the sessions that
    lie beside its memories say of themselves."""
    said = set[str]() if sessions is None else directories_in(sessions)
    also = {posixpath.normpath(c) for c in candidates}
    return Place(name, tuple(sorted(d for d in said | also if is_folder_of(name, d))))


def directories_in(sessions: Path) -> set[str]:
    """The working directories that transcripts in ``sessions`` name in their first lines."""
    found: set[str] = set()
    try:
        names = sorted(n for n in sessions.iterdir() if n.suffix == ".jsonl" and n.is_file() and not n.is_symlink())
    except OSError:
        return found
    for name in names[-_SESSIONS:]:
        try:
            with name.open("rb") as file:
                head = file.read(_HEAD)
        except OSError:
            continue
        for line in head.splitlines():
            if b'"cwd"' in line and (directory := _cwd(line)):
                found.add(directory)
    return found


def _cwd(line: bytes) -> str | None:
    try:
        said = json.loads(line)
        directory = said.get("cwd") if isinstance(said, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    except (ValueError, RecursionError):
        return None
    if not isinstance(directory, str) or not directory.startswith("/"):
        return None
    return posixpath.normpath(directory)


def _holds(directory: str, path: str) -> bool:
    """In whole components: ``/a/b`` holds ``/a/b/c`` and not ``/a/bc``."""
    if not path.startswith("/"):
        return directory == path
    whole = posixpath.normpath(path)
    return whole == directory or whole.startswith(directory.rstrip("/") + "/")


_SESSIONS = 20
"""Transcripts of one folder that are looked at, those with the last names first: all say the same directory."""
_HEAD = 256 * 1024
