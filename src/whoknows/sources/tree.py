"""Folders as sources: Markdown and text files as they are now. A folder has no past."""

import asyncio
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.errors import SourceUnreadable
from whoknows.ports import SourceFile
from whoknows.sources.documents import MOST_BYTES, MOST_FILES, is_document, path_fault, shown, text_fault, text_of, too_large
from whoknows.sources.roots import Roots

_HASH = re.compile(r"[0-9a-f]{64}")


class TreeReader:
    """Links are resolved and must stay in the folder; what is no regular file is not opened."""

    def __init__(self, roots: Roots) -> None:
        self._roots = roots

    async def locate(self, where: SourceLocation) -> SourceLocation | None:
        folder = await asyncio.to_thread(self._folder, where)
        return None if folder is None else SourceLocation(LocationKind.FOLDER, str(folder))

    async def revision(self, where: SourceLocation, revision: str | None) -> str | None:
        folder = await asyncio.to_thread(self._folder, where)
        if folder is None:
            return None
        if revision is not None:  # whether it is of now is told where a file is read
            return revision if _HASH.fullmatch(revision) else None
        return await asyncio.to_thread(_state, folder)

    async def read(self, where: SourceLocation, revision: str, path: str) -> str | None:
        return await asyncio.to_thread(self._read, where, revision, path)

    async def files(self, where: SourceLocation, revision: str) -> Sequence[SourceFile]:  # noqa: ARG002 - it has but one
        folder = await asyncio.to_thread(self._folder, where)
        return [] if folder is None else await asyncio.to_thread(_listed, folder)

    async def texts(
        self,
        where: SourceLocation,
        revision: str,  # noqa: ARG002 - it has but one
        files: Sequence[SourceFile],
    ) -> Mapping[str, str | None]:
        return await asyncio.to_thread(self._texts, where, files)

    async def renames(self, where: SourceLocation, old: str, new: str) -> Mapping[str, str]:  # noqa: ARG002
        """None: only files that kept every byte are known again, and those the index finds by itself."""
        return {}

    def _folder(self, where: SourceLocation) -> Path | None:
        folder = self._roots.inside(where.locator)
        return folder if folder is not None and folder.is_dir() else None

    def _read(self, where: SourceLocation, revision: str, path: str) -> str | None:
        folder = self._folder(where)
        raw = None if folder is None else _bytes(folder, path)
        if folder is None or raw is None or text_fault(raw) is not None:
            return None
        if revision in (_hash(raw), _state(folder)):
            return text_of(raw)
        return None

    def _texts(self, where: SourceLocation, files: Sequence[SourceFile]) -> dict[str, str | None]:
        folder = self._folder(where)
        read = {f.path: None if folder is None else _bytes(folder, f.path) for f in files}
        # What was changed since it was listed is left to the next synchronisation.
        hashes = {f.path: f.blob for f in files}
        return {p: None if raw is None or _hash(raw) != hashes[p] else text_of(raw) for p, raw in read.items()}


def _state(folder: Path) -> str:
    """One hash over the names and hashes of all documents."""
    whole = hashlib.sha256()
    for file in _listed(folder):
        whole.update(f"{file.path}\0{file.blob}\n".encode(errors="surrogateescape"))
    return whole.hexdigest()


def _listed(folder: Path) -> list[SourceFile]:
    found: list[SourceFile] = []
    for path in _paths(folder):
        if len(found) == MOST_FILES:
            raise SourceUnreadable(f"there are more than {MOST_FILES} documents: register folders below it")
        fault = path_fault(path)
        if fault is not None:
            found.append(SourceFile(shown(path), hashlib.sha256(path).hexdigest(), fault))
            continue
        raw = _bytes(folder, path.decode())
        if raw is None:
            found.append(SourceFile(path.decode(), "", "it cannot be read, or is no regular file of this folder"))
        else:
            found.append(SourceFile(path.decode(), _hash(raw), too_large() if len(raw) > MOST_BYTES else text_fault(raw)))
    return sorted(found, key=lambda f: f.path)


def _paths(folder: Path) -> Iterator[bytes]:
    for where, directories, names in os.walk(folder):
        directories[:] = [d for d in directories if not d.startswith(".")]
        for name in names:
            relative = os.path.relpath(os.path.join(where, name), folder)
            if is_document(relative):
                yield os.fsencode(relative)


def _bytes(folder: Path, path: str) -> bytes | None:
    """At most one byte more than is accepted. None where there is no regular file of this folder at ``path``."""
    try:
        resolved = (folder / path).resolve(strict=True)
        # What is hidden in a folder (the settings of a repository, keys) is no text of it, by whatever name or link.
        if not resolved.is_relative_to(folder) or any(p.startswith(".") for p in resolved.relative_to(folder).parts):
            return None
        # Between looking and opening a link may have been put there: not followed, and no pipe is waited for.
        handle = os.open(resolved, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except (OSError, RuntimeError, ValueError):
        return None
    try:
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode) or not _still_inside(handle, folder):
                return None
            return file.read(MOST_BYTES + 1)
    except OSError:
        return None


def _still_inside(handle: int, folder: Path) -> bool:
    opened = Path(f"/proc/self/fd/{handle}")
    try:
        return opened.readlink().is_relative_to(folder)
    except OSError:  # no such thing on this system
        return True


def _hash(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
