"""A snapshot: every file of the memory folders, read once, so that what is backed up is what is migrated."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from whoknows.migration.homes import Root


class Kind(StrEnum):
    FOLDER = "folder"
    FILE = "file"
    LINK = "link"
    OTHER = "other"
    """A pipe, a socket, a device; or what could not be read. It is told of, and in no backup."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing in a folder. ``root`` counts the roots from 0, ``path`` is relative to that root, with slashes.

    ``mode`` are the permission bits, ``changed`` is the time of the last change in nanoseconds. ``content`` is a file's,
    ``target`` a link's, ``why`` says of an OTHER what it is.
    """

    root: int
    path: str
    kind: Kind
    mode: int = 0
    changed: int = 0
    content: bytes = b""
    target: str = ""
    why: str = ""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """``entries`` in the order of their paths. ``roots`` are those that were read."""

    roots: Sequence[Root]
    entries: Sequence[Entry]

    @property
    def fingerprint(self) -> str:
        """Equal for equal files: names, texts and links count, times do not."""
        whole = hashlib.sha256()
        for e in self.entries:
            said = (str(e.root), e.path, str(e.kind), e.target, e.sha256 if e.kind is Kind.FILE else "")
            whole.update("\0".join(said).encode("utf-8", "surrogateescape") + b"\n")
        return whole.hexdigest()

    def files(self) -> Iterator[Entry]:
        return (e for e in self.entries if e.kind is Kind.FILE)


LARGEST = 64 * 1024 * 1024
"""Bytes of a file: notes of programs are a thousand times smaller."""
_TRIES = 3


def snapshot_of(roots: Sequence[Root]) -> Snapshot:
    """Read all memory folders of ``roots``. Links are never followed."""
    entries: list[Entry] = []
    for n, root in enumerate(roots):
        for folder in root.folders:
            entries += _walk(n, root.path, folder)
    return Snapshot(roots, sorted(entries, key=lambda e: (e.root, e.path.split("/"))))


def entry_at(root: int, base: Path, path: str) -> Entry:
    """What stands at ``path`` below ``base`` now. FileNotFoundError where nothing does."""
    whole = base / path
    now = os.lstat(whole)
    changed = now.st_mtime_ns
    if stat.S_ISLNK(now.st_mode):
        return Entry(root, path, Kind.LINK, plain_mode(Kind.LINK, now.st_mode), changed, target=os.readlink(whole))
    if stat.S_ISDIR(now.st_mode):
        return Entry(root, path, Kind.FOLDER, plain_mode(Kind.FOLDER, now.st_mode), changed)
    if not stat.S_ISREG(now.st_mode):
        return Entry(root, path, Kind.OTHER, why=_SPECIAL.get(stat.S_IFMT(now.st_mode), "no regular file"))
    return _file(root, whole, path)


def plain_mode(kind: Kind, mode: int) -> int:
    """Permission bits without the right to run a note as somebody else."""
    return stat.S_IMODE(mode) & (0o3777 if kind is Kind.FOLDER else 0o1777)


def _walk(root: int, base: Path, folder: str) -> Iterator[Entry]:
    if linked := _first_link(base, folder):
        yield Entry(root, folder, Kind.OTHER, why=f"{linked} is a link, and links are not followed")
        return
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        try:
            entry = entry_at(root, base, path)
            names = os.listdir(base / path) if entry.kind is Kind.FOLDER else []
        except FileNotFoundError:
            continue  # it went at this very moment
        except OSError as e:
            yield Entry(root, path, Kind.OTHER, why=e.strerror or "it cannot be read")
            continue
        yield entry
        waiting += (f"{path}/{name}" for name in names)


def _first_link(base: Path, folder: str) -> str | None:
    above = folder.split("/")[:-1]
    for n in range(1, len(above) + 1):
        if (base / "/".join(above[:n])).is_symlink():
            return "/".join(above[:n])
    return None


def _file(root: int, whole: Path, path: str) -> Entry:
    """A regular file, read between two equal looks at it."""
    why = "it changes while it is read"
    for _ in range(_TRIES):
        try:
            with open(os.open(whole, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
                before = os.fstat(file.fileno())
                if not stat.S_ISREG(before.st_mode):
                    continue
                if before.st_size > LARGEST:
                    why = f"larger than {LARGEST // 1024 // 1024} MiB"
                    break
                content = file.read(LARGEST + 1)
                after = os.fstat(file.fileno())
        except OSError as e:
            why = e.strerror or "it cannot be read"
            continue
        same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns) and len(content) == after.st_size
        if same:
            return Entry(root, path, Kind.FILE, plain_mode(Kind.FILE, after.st_mode), after.st_mtime_ns, content)
    return Entry(root, path, Kind.OTHER, why=why)


_SPECIAL = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
