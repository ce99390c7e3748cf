"""Archives: a snapshot as one tar file that says of every file what it must be, written whole or not at all."""

import hashlib
import io
import json
import os
import stat
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from whoknows.machine import write_whole
from whoknows.migration.faults import MigrationFault
from whoknows.migration.homes import Native, may_hold
from whoknows.migration.snapshot import LARGEST, Entry, Kind, Snapshot, plain_mode

MANIFEST = "manifest.json"
_FORM = 1
_MOST_ENTRIES = 200_000
_END_OF_TIME = 1 << 90
"""Nanoseconds; about the last second that a system call takes."""
_BROKEN = (
    tarfile.TarError, EOFError, OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError,
)  # fmt: skip
"""What reading an archive raises that somebody made by hand."""
_MODE_OF_ARCHIVES = 0o600
"""What programs remember may hold what is nobody else's business, secrets included."""


@dataclass(frozen=True, slots=True)
class Backup:
    path: Path
    sha256: str


@dataclass(frozen=True, slots=True)
class Archive:
    """What an archive holds. ``roots`` are the folders it was made of, by number."""

    program: Native
    roots: Sequence[str]
    entries: Sequence[Entry]


def write_backup(snapshot: Snapshot, program: Native, folder: Path) -> Backup:
    """Write ``snapshot`` below ``folder``, and read it back to the last byte. The same snapshot gives the same file."""
    whole = _packed(snapshot, program)
    digest = hashlib.sha256(whole).hexdigest()
    path = folder / f"{program}-{digest[:16]}.tar"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not (path.is_file() and path.read_bytes() == whole):
            write_whole(path, whole, _MODE_OF_ARCHIVES)
        again = path.read_bytes()
    except OSError as e:
        raise MigrationFault("backup_failed", f"no backup could be written to {folder}: {e.strerror}; nothing was done") from e
    kept = [e for e in snapshot.entries if e.kind is not Kind.OTHER]
    if hashlib.sha256(again).hexdigest() != digest or list(_unpacked(again).entries) != kept:
        raise MigrationFault("backup_failed", f"the backup {path} reads back as something else; nothing was done")
    return Backup(path, digest)


def read_archive(path: Path, program: Native) -> tuple[Archive, str]:
    """What is in an archive, and its sha256. MigrationFault for one that is broken, or that is none of ``program``'s."""
    try:
        if not path.is_file():
            raise MigrationFault("archive_unreadable", f"{path} is no file")
        whole = path.read_bytes()
    except OSError as e:
        raise MigrationFault("archive_unreadable", f"{path}: {e.strerror}") from e
    archive = _unpacked(whole)
    if archive.program is not program:
        raise MigrationFault("archive_of_another", f"{path} was made of the memories of {archive.program}, not of {program}")
    return archive, hashlib.sha256(whole).hexdigest()


def _packed(snapshot: Snapshot, program: Native) -> bytes:
    manifest: dict[str, Any] = {
        "form": _FORM,
        "program": str(program),
        "roots": [str(r.path) for r in snapshot.roots],
        "entries": [_described(e) for e in snapshot.entries],
    }
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        said = json.dumps(manifest, indent=1).encode()
        head = tarfile.TarInfo(MANIFEST)
        head.size, head.mode = len(said), _MODE_OF_ARCHIVES
        tar.addfile(head, io.BytesIO(said))
        for entry in snapshot.entries:
            if entry.kind is not Kind.OTHER:
                member = _member(entry)
                tar.addfile(member, io.BytesIO(entry.content) if entry.kind is Kind.FILE else None)
    return buffer.getvalue()


def _described(entry: Entry) -> dict[str, Any]:
    said: dict[str, Any] = {"root": entry.root, "path": entry.path, "kind": str(entry.kind)}
    if entry.kind is not Kind.OTHER:
        said |= {"mode": entry.mode, "mtime_ns": entry.changed}
    match entry.kind:
        case Kind.FILE:
            said |= {"size": len(entry.content), "sha256": entry.sha256}
        case Kind.LINK:
            said["target"] = entry.target
        case Kind.OTHER:
            said["why"] = entry.why
        case Kind.FOLDER:
            pass
    return said


def _member(entry: Entry) -> tarfile.TarInfo:
    member = tarfile.TarInfo(_name(entry))
    member.mode, member.mtime = entry.mode, entry.changed // 1_000_000_000
    match entry.kind:
        case Kind.FILE:
            member.size = len(entry.content)
        case Kind.LINK:
            member.type, member.linkname = tarfile.SYMTYPE, entry.target
        case _:
            member.type = tarfile.DIRTYPE
    return member


def _name(entry: Entry) -> str:
    return f"files/{entry.root}/{entry.path}"


def _unpacked(whole: bytes) -> Archive:
    try:
        return _checked(whole)
    except MigrationFault:
        raise
    except _BROKEN as e:
        raise _broken(f"it cannot be read as one ({type(e).__name__})") from e


def _checked(whole: bytes) -> Archive:
    with tarfile.open(fileobj=io.BytesIO(whole), mode="r:") as tar:
        members: dict[str, tarfile.TarInfo] = {}
        for member in tar:
            if member.name in members or len(members) > _MOST_ENTRIES:
                raise _broken("a name stands in it twice, or it has too many")
            members[member.name] = member
        head = members.pop(MANIFEST, None)
        content = None if head is None or not head.isreg() or head.size > LARGEST else tar.extractfile(head)
        if content is None:
            raise _broken("it has no manifest")
        manifest = cast(dict[str, Any], json.loads(content.read()))
        if manifest["form"] != _FORM:
            raise _broken(f"its form is {manifest['form']!r}, and this version knows {_FORM}")
        program, roots = Native(manifest["program"]), [str(r) for r in manifest["roots"]]
        entries = [_entry(d, program, len(roots)) for d in manifest["entries"] if d["kind"] != Kind.OTHER]
        found = [_content(tar, members.pop(_name(e), None), e, d) for e, d in zip(entries, _of_members(manifest), strict=True)]
    if members:
        raise _broken(f"{next(iter(members))!r} is in it, and its manifest does not know it")
    return Archive(program, roots, found)


def _of_members(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    return [d for d in manifest["entries"] if d["kind"] != Kind.OTHER]


def _entry(said: dict[str, Any], program: Native, roots: int) -> Entry:
    """An entry of a manifest, once nothing in its path leads anywhere else."""
    path, root, kind = said["path"], said["root"], Kind(said["kind"])
    if not isinstance(path, str) or type(root) is not int or not 0 <= root < roots:
        raise _broken("an entry of its manifest is none")
    parts = path.split("/")
    if path.startswith("/") or "\0" in path or "\\" in parts[0] or any(p in ("", ".", "..") for p in parts):
        raise MigrationFault("archive_unsafe", f"the archive names a path that leads out of its folder: {path!r}")
    if not may_hold(program, path):
        raise MigrationFault("archive_unsafe", f"the archive names a path where {program} keeps no memories: {path!r}")
    mode, changed = said["mode"], said["mtime_ns"]
    if type(mode) is not int or type(changed) is not int or mode != stat.S_IMODE(mode) or abs(changed) >= _END_OF_TIME:
        raise _broken("an entry of its manifest is none")
    os.fsencode(path + str(said.get("target", "")))  # a name that no file can have is a ValueError
    return Entry(root, path, kind, plain_mode(kind, mode), changed, target=str(said.get("target", "")))


def _content(tar: tarfile.TarFile, member: tarfile.TarInfo | None, entry: Entry, said: dict[str, Any]) -> Entry:
    if member is None:
        raise _broken(f"{entry.path!r} stands in its manifest, and is not in it")
    match entry.kind:
        case Kind.LINK if member.issym() and member.linkname == entry.target and entry.target and "\0" not in entry.target:
            return entry
        case Kind.FOLDER if member.isdir():
            return entry
        case Kind.FILE if member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and member.size == said["size"] <= LARGEST:
            file = tar.extractfile(member)
            filled = replace(entry, content=b"" if file is None else file.read())
            if filled.sha256 == said["sha256"]:
                return filled
            raise _broken(f"{entry.path!r} is not what its manifest says")
        case _:
            raise _broken(f"{entry.path!r} is of another kind than its manifest says")


def _broken(why: str) -> MigrationFault:
    return MigrationFault("archive_broken", f"this is no archive that can be restored: {why}. Nothing was changed")
