"""A snapshot into statements: each file by the form that its program gives it."""

import os
import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import replace

from whoknows.migration import claude, codex
from whoknows.migration.codex_database import LOG, noted_in
from whoknows.migration.homes import Native, is_database, memories_elsewhere
from whoknows.migration.lines import Unreadable, lines_in
from whoknows.migration.places import place_of_folder
from whoknows.migration.snapshot import Entry, Kind, Snapshot
from whoknows.migration.statements import GENERAL, Parsed, Place


class Reader:
    """Reads one snapshot. ``candidates``: directories that folders of Claude Code may stand for."""

    def __init__(self, program: Native, snapshot: Snapshot, candidates: Sequence[str] = ()) -> None:
        self.program, self.snapshot, self._candidates = program, snapshot, candidates
        self._there = {
            os.path.join(snapshot.roots[e.root].path, e.path) for e in snapshot.entries if e.kind in (Kind.FILE, Kind.FOLDER)
        }
        self._places: dict[str, Place] = {}

    def parsed(self) -> list[Parsed]:
        """Every file, in the order of paths. What is no file, and no folder, is told of as unreadable."""
        has_handbook = any(e.path in ("memories/MEMORY.md", "memories_v2/MEMORY.md") for e in self.snapshot.entries)
        found: list[Parsed] = []
        for e in self.snapshot.entries:
            if is_database(self.program, e.path) and e.kind is Kind.FILE:
                found += self._of_a_database(e)
            elif (p := self._parsed(e, has_handbook)) is not None:
                found.append(p)
        if elsewhere := memories_elsewhere(self.program, self.snapshot.roots[0].path):
            why = "the program's settings (autoMemoryDirectory) keep memories there, which is not read"
            found.append(Parsed(elsewhere, 0, unreadable=why))
        return found

    def _parsed(self, entry: Entry, has_handbook: bool) -> Parsed | None:
        path = self.shown(entry)
        match entry.kind:
            case Kind.FOLDER:
                return None
            case Kind.LINK:
                return self._link(entry, path)
            case Kind.OTHER:
                return Parsed(path, 0, unreadable=entry.why)
            case Kind.FILE:
                pass
        if "/.git/" in f"/{entry.path}/":
            return None
        lines = lines_in(entry.content)
        if isinstance(lines, Unreadable):
            is_note = entry.path.lower().endswith(_NOTES)
            return Parsed(path, lines.lines, unreadable=lines.why) if is_note else _no_note(path, lines.lines)
        if not is_utf8(entry.path):
            return Parsed(path, len(lines), unreadable="the name of the file is not valid UTF-8")
        if self.program is Native.CODEX:
            below = entry.path.partition("/")[2]
            form = codex.form_of(below)
            if isinstance(form, codex.Form):
                return codex.parsed_notes(path, lines, form, has_handbook)
            return Parsed(path, len(lines), structure=dict.fromkeys(range(1, len(lines) + 1), form))
        if not entry.path.lower().endswith(_NOTES):
            return _no_note(path, len(lines))
        place, tags = self._place(entry)
        parse = claude.parsed_index if posixpath.basename(path) == claude.INDEX else claude.parsed_topic
        return parse(path, lines, place, tags)

    def _of_a_database(self, entry: Entry) -> list[Parsed]:
        """The database itself, which has no lines, and each text in it that the files do not have."""
        path = self.shown(entry)
        if entry.path.endswith(LOG):
            return [Parsed(path, 0)]
        log = next((e.content for e in self.snapshot.files() if (e.root, e.path) == (entry.root, entry.path + LOG)), b"")
        noted = noted_in(entry.content, log)
        if isinstance(noted, str):
            return [Parsed(path, 0, unreadable=noted)]
        files = [e.content.decode("utf-8", "replace") for e in self.snapshot.files() if e.path.endswith(_NOTES)]
        found = [Parsed(path, 0)]
        for n in noted:
            place = codex.place_in(n.raw)
            for name, text in ((n.thread, n.raw), (f"{n.thread}.summary", n.summary)):
                if text.strip():
                    found.append(_text_of_a_database(f"{path}/{_name(name)}.md", text, place, n.at, files))
        return found

    def shown(self, entry: Entry) -> str:
        """The path of an entry with the folder of its program, as it stands in sources and reports."""
        whole = f"{self.snapshot.roots[entry.root].label}/{entry.path}"
        return os.fsencode(whole).decode("utf-8", "backslashreplace")

    def _link(self, entry: Entry, path: str) -> Parsed | None:
        base = self.snapshot.roots[entry.root].path
        target = os.path.realpath(base / entry.path)
        if target in self._there:
            return Parsed(path, 0)  # what it leads to is read where it stands
        where = "leads out of the folder" if os.path.exists(target) else "leads nowhere"
        return Parsed(path, 0, unreadable=f"a link that {where}: links are not followed")

    def _place(self, entry: Entry) -> tuple[Place, tuple[str, ...]]:
        root = self.snapshot.roots[entry.root]
        parts = entry.path.split("/")
        if root.project is not None:
            return Place(root.project, (root.project,)), tuple(parts[2:3])
        if parts[0] == "agent-memory":
            return GENERAL, tuple(parts[1:2]) if len(parts) > 2 else ()
        name = parts[1]
        if name not in self._places:
            self._places[name] = place_of_folder(name, root.path / "projects" / name, self._candidates)
        return self._places[name], ()


def is_utf8(text: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in text)


def without_pointers(parsed: Iterable[Parsed]) -> list[Parsed]:
    """Index lines of files that are not there, or cannot be read, speak for themselves."""
    files = list(parsed)
    said = {p.path for p in files if p.unreadable is None and p.statements}
    answer: list[Parsed] = []
    for file in files:
        lost = [p for p in file.pointers if p.target not in said]
        instead = list(dict.fromkeys(p.instead for p in lost))
        kept = [p for p in file.pointers if p.target in said]
        answer.append(replace(file, statements=(*file.statements, *instead), pointers=kept) if lost else file)
    return answer


def _text_of_a_database(path: str, text: str, place: Place | None, at: str, files: Sequence[str]) -> Parsed:
    lines = lines_in(text.encode("utf-8", "surrogatepass"))
    if isinstance(lines, Unreadable):
        return Parsed(path, lines.lines, unreadable=lines.why)
    if any(text.strip() in file for file in files):
        return Parsed(path, len(lines), structure=dict.fromkeys(range(1, len(lines) + 1), "it stands in a file of the program"))
    return codex.parsed_notes(path, lines, codex.Form.RAW, place=place, noted=at or None)


def _name(thread: str) -> str:
    """As a part of a path: whatever a database calls its rows."""
    return "".join(c if c.isalnum() or c in "-_." else "-" for c in thread)[:100] or "-"


def _no_note(path: str, lines: int) -> Parsed:
    return Parsed(path, lines, structure=dict.fromkeys(range(1, lines + 1), "no note of the program"))


_NOTES = (".md", ".markdown", ".txt")
