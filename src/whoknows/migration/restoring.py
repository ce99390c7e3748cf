"""Restoring: memory folders become again what an archive says, file by file, and all of it or nothing."""

import os
import posixpath
import secrets
import stat
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from whoknows.migration.archive import Archive
from whoknows.migration.codex_database import LOG
from whoknows.migration.faults import MigrationFault
from whoknows.migration.homes import Native, Root, is_database, may_hold, roots_of
from whoknows.migration.snapshot import Entry, Kind, Snapshot, entry_at, snapshot_of


@dataclass(frozen=True, slots=True)
class Restoration:
    """What a restoration will do. ``bases`` are the folders, by the number of the root.

    ``added`` and ``changed`` are written; ``same`` is as it should be; ``extra`` is there now and not in the archive: it stays.
    ``databases`` stay too: the program goes on writing them, in several files that fit only each other.
    """

    bases: Mapping[int, Path]
    added: Sequence[Entry]
    changed: Sequence[Entry]
    same: Sequence[Entry]
    extra: Sequence[str]
    databases: Sequence[str]
    present: Snapshot
    """What is there now, for the safety backup."""
    unfinished: Sequence[Path]
    """What a restoration that was killed had begun to write."""

    @property
    def written(self) -> list[Entry]:
        return [*self.added, *self.changed]


def restoration_of(archive: Archive, home: Path | None, projects: Sequence[Path], known: bool) -> Restoration:
    """Compare an archive with what is there. ``known``: its hash is that of a backup that was made here.

    MigrationFault where it would write through a link, or over a folder; or for an archive from elsewhere that brings links
    out of its folders, or folders of projects that nobody named.
    """
    here = roots_of(archive.program, home, projects)
    bases = {0: here[0].path}
    for n, root in enumerate(archive.roots[1:], start=1):
        if not known and Path(root) not in projects:
            raise MigrationFault("archive_unsafe", f"the archive is none that was made here: name {root} with --project too")
        bases[n] = Path(root)
    folders = {(e.root, e.path) for e in archive.entries if e.kind is Kind.FOLDER}
    for entry in archive.entries:
        parent = posixpath.dirname(entry.path)
        if may_hold(archive.program, parent) and (entry.root, parent) not in folders:
            raise MigrationFault("archive_unsafe", f"{entry.path!r} would be written through something that is no folder")
        if entry.kind is Kind.LINK and not known and _leads_out(entry):
            raise MigrationFault(
                "archive_unsafe", f"the archive is none that was made here, and {entry.path!r} leads out of it"
            )
    added: list[Entry] = []
    changed: list[Entry] = []
    same: list[Entry] = []
    databases = [e for e in archive.entries if is_database(archive.program, e.path) and _any_of_it(bases[e.root], e.path)]
    for entry in (e for e in archive.entries if e not in databases):
        now = _now(bases[entry.root], entry)
        (added if now is None else same if now == entry else changed).append(entry)
        if now is not None and _is_in_the_way(now, entry):
            what = f"is {now.why}, which no backup holds" if now.kind is Kind.OTHER else f"is a {now.kind} now"
            raise MigrationFault("in_the_way", f"{bases[entry.root] / entry.path} {what}: move it away first")
    found = snapshot_of([Root(bases[n], _folders_of(archive, n), "") for n in sorted(bases)])
    present = Snapshot(found.roots, [e for e in found.entries if not _is_part(e)])
    unfinished = [bases[e.root] / e.path for e in found.entries if _is_part(e)]
    wanted = {(e.root, e.path) for e in archive.entries}
    extra = [str(bases[e.root] / e.path) for e in present.entries if (e.root, e.path) not in wanted]
    stay = [str(bases[e.root] / e.path) for e in databases]
    return Restoration(bases, added, changed, same, extra, stay, present, unfinished)


def restore(plan: Restoration, written: Callable[[Entry], None] = lambda _: None) -> None:
    """Write what differs: all of it beside its place first, so that a disk that is full changes nothing. If anything fails on
    the way, what was written is taken back before the error is raised."""
    before = {(e.root, e.path): e for e in plan.present.entries}
    done: list[Entry] = []
    parts: dict[Path, Path] = {}
    for path in plan.unfinished:
        with suppress(OSError):
            path.unlink()
    try:
        for entry in plan.written:
            done.append(entry)
            _begin(plan.bases[entry.root], entry, parts)
        for entry in plan.written:
            path = plan.bases[entry.root] / entry.path
            if path in parts:
                os.replace(parts[path], path)
                del parts[path]
            written(entry)
        # What is written into a folder changes its time: the deepest first.
        for entry in sorted((e for e in (*plan.same, *plan.written) if e.kind is Kind.FOLDER), key=lambda e: -len(e.path)):
            _stamp(plan.bases[entry.root] / entry.path, entry)
    except BaseException as e:
        lost = [
            plan.bases[entry.root] / entry.path
            for entry in reversed(done)
            if not _take_back(plan.bases[entry.root], entry, before.get((entry.root, entry.path)), parts)
        ]
        if isinstance(e, OSError):
            why = f"{e.filename or 'a file'} could not be written: {e.strerror}"
            now = f"{lost[0]} could not be put back: the last backup has it" if lost else "Everything is as it was before"
            raise MigrationFault("restore_failed", f"{why}. {now}") from e
        raise


def _folders_of(archive: Archive, root: int) -> tuple[str, ...]:
    """The memory folders that an archive knows of a root: those of its entries whose parent is no such folder."""
    of_root = (e.path for e in archive.entries if e.root == root)
    return tuple(p for p in of_root if not may_hold(archive.program, posixpath.dirname(p)))


def _any_of_it(base: Path, path: str) -> bool:
    """Whether the database, or a file that belongs to it, is there."""
    database = path.removesuffix(LOG)
    return any(os.path.lexists(base / f"{database}{end}") for end in ("", LOG, "-shm"))


def _leads_out(entry: Entry) -> bool:
    target = posixpath.normpath(posixpath.join(posixpath.dirname(entry.path), entry.target))
    return entry.target.startswith("/") or not any(may_hold(n, target) for n in Native)


def _now(base: Path, entry: Entry) -> Entry | None:
    """What stands there now. MigrationFault where the way to it leads through a link."""
    parts = entry.path.split("/")
    try:
        for n in range(1, len(parts)):
            above = base / "/".join(parts[:n])
            if not stat.S_ISDIR(os.lstat(above).st_mode):
                raise MigrationFault("in_the_way", f"{above} is no folder now: move it away first")
        return entry_at(entry.root, base, entry.path)
    except FileNotFoundError:
        return None
    except OSError as e:
        raise MigrationFault("in_the_way", f"{base / entry.path} cannot be written: {e.strerror}") from e


def _is_in_the_way(now: Entry, entry: Entry) -> bool:
    return now.kind is Kind.OTHER or (Kind.FOLDER in (now.kind, entry.kind) and now.kind is not entry.kind)


def _is_part(entry: Entry) -> bool:
    return entry.kind in (Kind.FILE, Kind.LINK) and posixpath.basename(entry.path).startswith(_PART)


def _begin(base: Path, entry: Entry, parts: dict[Path, Path]) -> None:
    """A folder is made; of a file or link ``parts`` knows what has only to take its place."""
    path = base / entry.path
    part = path.parent / f"{_PART}{secrets.token_hex(8)}"
    if entry.kind is not Kind.FOLDER:
        parts[path] = part
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if entry.kind is Kind.FOLDER:
        path.mkdir(exist_ok=True)
        return
    if entry.kind is Kind.LINK:
        os.symlink(entry.target, part)
    else:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:
            file.write(entry.content)
            file.flush()
            os.fsync(file.fileno())
    _stamp(part, entry)


def _stamp(path: Path, entry: Entry) -> None:
    if entry.kind is not Kind.LINK:
        os.chmod(path, entry.mode)
    os.utime(path, ns=(entry.changed, entry.changed), follow_symlinks=False)


def _take_back(base: Path, entry: Entry, before: Entry | None, parts: dict[Path, Path]) -> bool:
    """Whether it is as it was."""
    path = base / entry.path
    begun = parts.pop(path, None)
    try:
        if begun is not None:  # nothing has taken its place
            begun.unlink(missing_ok=True)
        elif before is not None and before.kind is Kind.FOLDER:
            _stamp(path, before)
        elif before is not None:
            again: dict[Path, Path] = {}
            try:
                _begin(base, before, again)
                os.replace(again[path], path)
            except OSError:
                again[path].unlink(missing_ok=True)
                raise
        elif entry.kind is Kind.FOLDER:
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
    except OSError:
        return _is_as_before(base, entry, before)
    return True


def _is_as_before(base: Path, entry: Entry, before: Entry | None) -> bool:
    try:
        return entry_at(entry.root, base, entry.path) == before
    except (FileNotFoundError, NotADirectoryError):
        return before is None
    except OSError:
        return False


_PART = ".restoring-"
