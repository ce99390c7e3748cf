"""Git repositories as sources: local ones under the roots, and https remotes, which are fetched into the data directory."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.errors import SourceUnreadable
from whoknows.ports import SourceFile
from whoknows.sources.documents import MOST_BYTES, MOST_FILES, is_document, path_fault, shown, text_of, too_large
from whoknows.sources.git_objects import HASH, commit_of
from whoknows.sources.git_place import git_dir
from whoknows.sources.git_program import git
from whoknows.sources.mirrors import HEAD, Mirrors
from whoknows.sources.roots import Roots

_REVISION = re.compile(r"(?![-.])[\w./@~^-]{1,200}")
_FILES = ("100644", "100755")
"""Modes of regular files: a link is a text that says where to, a submodule is another repository."""


class GitReader:
    """Reads by plumbing commands alone: nothing of the repository's own settings runs a program."""

    def __init__(self, roots: Roots, mirrors: Mirrors) -> None:
        self._roots = roots
        self._mirrors = mirrors

    async def locate(self, where: SourceLocation) -> SourceLocation | None:
        if self._mirrors.takes(where.locator):
            return where
        place = await asyncio.to_thread(git_dir, self._roots, where.locator)
        inside = self._roots.inside(where.locator)
        return None if place is None or inside is None else SourceLocation(LocationKind.GIT, str(inside))

    async def revision(self, where: SourceLocation, revision: str | None) -> str | None:
        if revision is not None and not _REVISION.fullmatch(revision):
            return None
        remote = self._mirrors.takes(where.locator)
        if remote and revision is None:
            await self._mirrors.fetch(where.locator)
        found = await self._commit(where, revision or (HEAD if remote else "HEAD"))
        if found is None and remote and revision is not None and await self._mirrors.fetch(where.locator, lately=True):
            found = await self._commit(where, revision)
        return found

    async def read(self, where: SourceLocation, revision: str, path: str) -> str | None:
        place = await self._place(where)
        if place is None or not HASH.fullmatch(revision) or path_fault(path.encode(errors="replace")) is not None:
            return None
        if any(part in ("", ".", "..") for part in path.split("/")):
            return None
        entries = await self._entries(place, revision, path)
        entry = next((e for e in entries if e[3] == path.encode()), None)
        if entry is None or entry[0] not in _FILES or entry[2] > MOST_BYTES:
            return None
        return (await _blobs(place, [entry[1]])).get(entry[1])

    async def files(self, where: SourceLocation, revision: str) -> Sequence[SourceFile]:
        place = await self._place(where)
        if place is None or not HASH.fullmatch(revision):
            return []
        found: list[SourceFile] = []
        for mode, blob, size, path in await self._entries(place, revision, None):
            if mode not in _FILES or not is_document(shown(path)):
                continue
            if len(found) == MOST_FILES:
                raise SourceUnreadable(f"there are more than {MOST_FILES} documents: register a smaller repository")
            fault = path_fault(path) or (too_large() if size > MOST_BYTES else None)
            found.append(SourceFile(shown(path), blob, fault))
        return sorted(found, key=lambda f: f.path)

    async def texts(
        self,
        where: SourceLocation,
        revision: str,  # noqa: ARG002 - a blob is the same in every one
        files: Sequence[SourceFile],
    ) -> Mapping[str, str | None]:
        place = await self._place(where)
        texts = {} if place is None else await _blobs(place, [f.blob for f in files])
        return {f.path: texts.get(f.blob) for f in files}

    async def renames(self, where: SourceLocation, old: str, new: str) -> Mapping[str, str]:
        place = await self._place(where)
        if place is None or not (HASH.fullmatch(old) and HASH.fullmatch(new)):
            return {}
        plain = ["-r", "-z", "--no-ext-diff", "--no-textconv", "--name-status"]
        ended = await git(place, ["diff-tree", *plain, "-M", "-l2000", "--diff-filter=R", old, new])
        if ended.code != 0:  # the old one is gone: history was rewritten
            return {}
        parts = iter(ended.out.split(b"\0"))
        return {shown(to): shown(was) for status, was, to in zip(parts, parts, parts, strict=False) if status.startswith(b"R")}

    async def _place(self, where: SourceLocation) -> Path | None:
        if self._mirrors.takes(where.locator):
            return self._mirrors.place(where.locator)
        return await asyncio.to_thread(git_dir, self._roots, where.locator)

    async def _commit(self, where: SourceLocation, revision: str) -> str | None:
        place = await self._place(where)
        return None if place is None else await commit_of(place, revision)

    async def _entries(self, place: Path, revision: str, path: str | None) -> list[tuple[str, str, int, bytes]]:
        """(mode, blob, size, path) of all files of a commit, or of one."""
        only = [] if path is None else ["--", path]
        ended = await git(place, ["ls-tree", "-r", "-z", "-l", "--full-tree", revision, *only])
        entries: list[tuple[str, str, int, bytes]] = []
        for line in ended.out.split(b"\0") if ended.code == 0 else ():
            head, tab, name = line.partition(b"\t")
            parts = head.decode("ascii", "replace").split()
            if tab and len(parts) == 4:
                entries.append((parts[0], parts[2], int(parts[3]) if parts[3].isdigit() else 0, name))
        return entries


async def _blobs(place: Path, hashes: Sequence[str]) -> dict[str, str | None]:
    """The texts of some blobs, all by one process; None for what is none."""
    wanted = [h for h in dict.fromkeys(hashes) if HASH.fullmatch(h)]
    if not wanted:
        return {}
    most = (MOST_BYTES + 200) * len(wanted)
    ended = await git(place, ["cat-file", "--batch"], given="".join(f"{h}\n" for h in wanted).encode(), most_bytes=most)
    out, at = ended.out, 0
    texts: dict[str, str | None] = {}
    for wanted_hash in wanted:
        end = out.find(b"\n", at)
        parts = out[at:end].split() if end >= 0 else []
        if len(parts) != 3 or parts[1] != b"blob":  # "<hash> missing", or cut off
            texts[wanted_hash] = None
            at = end + 1
            continue
        size = int(parts[2])
        texts[wanted_hash] = text_of(out[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return texts
