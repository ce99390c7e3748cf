"""The folder of memories: what a reader may know as files, and files that are written as memories, through the gate."""

import logging
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Unpack

from whoknows.client import ApiError, AsyncWhoKnows
from whoknows.client.answers import Memory
from whoknows.client.memories import ListFilters
from whoknows.integrations import paths
from whoknows.integrations.front_matter import FixedLine, Words, text_of, words_of
from whoknows.integrations.paths import CHOSEN, BadPath

MOST = 2_000
"""Memories that are looked through for a listing or a search, newest first."""
MOST_DELETED = 200
_PAGE = 200
_LOG = logging.getLogger("whoknows")


class NoFile(Exception):
    """There is no such file, or none that the reader may know of."""


class Refused(Exception):
    """It was not done. The text says why, for a model to read."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """At the path that was chosen for it, it is read as it was written; anywhere else its front matter comes first."""

    path: str
    memory: Memory

    @property
    def is_as_written(self) -> bool:
        return self.path == paths.chosen(self.memory)

    @property
    def text(self) -> str:
        return self.memory["content"] if self.is_as_written else text_of(self.memory)


@dataclass(frozen=True, slots=True)
class Listing:
    """``cut``: there are more memories than were looked through."""

    files: tuple[MemoryFile, ...]
    cut: bool


class Folder:
    """Awaited, with the client of whoever asks. Raises NoFile, Refused, BadPath, and what the client raises.

    ``project_id``: only memories of that project and of none are shown, and new ones belong to it. ``team_id``: new ones are
    the team's; the paths that others of that team chose are theirs, then. Otherwise a path that somebody else chose is not
    taken over: it would be read where one expects words of one's own.
    """

    def __init__(self, *, project_id: str | None = None, team_id: str | None = None) -> None:
        self._project = project_id
        self._team = team_id
        self._acts_as: frozenset[str] | None = None

    async def listing(self, wk: AsyncWhoKnows, under: str = "/") -> Listing:
        """All files at or below a path. Two that would have one path are the newer, and the other at its own place."""
        me = await self._me(wk)
        files: dict[str, MemoryFile] = {}
        seen = 0
        async for memory in self._memories(wk):
            seen += 1
            path = self._path(memory, me)
            if path in files:
                path = paths.derived(memory)
            files[path] = MemoryFile(path, memory)
        # Whoever has as many has others that were not looked at.
        return Listing(tuple(f for f in files.values() if paths.is_under(f.path, under)), cut=seen >= MOST)

    async def file(self, wk: AsyncWhoKnows, path: str) -> MemoryFile:
        path = paths.normal(path)
        me = await self._me(wk)
        async for memory in self._memories(wk, tags=[CHOSEN + path]):
            if self._path(memory, me) == path:
                return MemoryFile(path, memory)
        ending = paths.meant(path)
        if ending is not None:
            async for memory in self._memories(wk):
                if memory["id"].endswith(ending):
                    return MemoryFile(path, memory)
        raise NoFile(f"File '{path}' not found")

    async def write(self, wk: AsyncWhoKnows, path: str, text: str, *, new: bool = False) -> str:
        """Write a file, and answer with its path. ``new``: it may not be there yet."""
        path = paths.normal(path)
        if path == "/" or not text.strip():
            raise Refused(f"a memory needs {'a name' if path == '/' else 'words'}: {path} was not written")
        try:
            there = await self.file(wk, path)
        except NoFile:
            return await self._create(wk, path, text)
        if new:
            raise Refused(f"File {path} already exists")
        return await self.edit(wk, there, text)

    async def edit(self, wk: AsyncWhoKnows, file: MemoryFile, text: str) -> str:
        """Other words for a file that was read: only if nobody changed it meanwhile."""
        if not text.strip():
            raise Refused(f"a memory needs words: delete {file.path} instead")
        if text == file.text:
            return file.path
        memory = file.memory
        try:
            words = Words(text) if file.is_as_written else words_of(text, memory)
            fields = {"category": words.category, "title": words.title, "tags": words.tags}
            named = {n: v for n, v in fields.items() if v is not None}
            changed = {} if words.content == memory["content"] else {"content": words.content}
            await wk.edit(memory["id"], memory["version"], **changed, **named)  # pyright: ignore[reportArgumentType]
        except FixedLine as e:
            raise Refused(str(e)) from e
        except ApiError as e:
            raise _refusal(e, file.path) from e
        return file.path

    async def delete(self, wk: AsyncWhoKnows, path: str) -> int:
        """A file, or a folder with all below it that may be deleted; the root never. The number of memories that are gone."""
        path = paths.normal(path)
        if path == "/":
            raise Refused("the folder of memories itself cannot be deleted")
        try:
            files: Sequence[MemoryFile] = [await self.file(wk, path)]
        except NoFile:
            files = (await self.listing(wk, path)).files
        if not files:
            raise NoFile(f"File '{path}' not found")
        if len(files) > MOST_DELETED:
            raise Refused(f"{len(files)} memories stand below {path}: delete them in smaller parts")
        faults: list[str] = []
        for file in files:
            try:
                await wk.forget(file.memory["id"])
            except ApiError as e:
                if e.status != 404:
                    faults.append(str(_refusal(e, file.path)))
        if faults:
            raise Refused("; ".join(faults[:3]))
        return len(files)

    async def rename(self, wk: AsyncWhoKnows, old: str, new: str) -> int:
        """Give a file, or all below a folder, another path. The memory stays the same one; an existing target is refused."""
        old, new = paths.normal(old), paths.normal(new)
        if "/" in (old, new):
            raise Refused("the folder of memories itself cannot be renamed")
        try:
            moved = {new: await self.file(wk, old)}
        except NoFile:
            moved = {new + f.path[len(old) :]: f for f in (await self.listing(wk, old)).files}
        if not moved:
            raise NoFile(f"The path {old} does not exist")
        if (await self.listing(wk, new)).files:
            raise Refused(f"The destination {new} already exists")
        for path, file in moved.items():
            memory = file.memory
            tags = [t for t in memory["tags"] if not t.startswith(CHOSEN)]
            try:
                await wk.edit(memory["id"], memory["version"], title=path, tags=[*tags, CHOSEN + paths.normal(path)])
            except ApiError as e:
                raise _refusal(e, file.path) from e
        return len(moved)

    async def _create(self, wk: AsyncWhoKnows, path: str, text: str) -> str:
        try:
            done = await wk.capture(
                text,
                title=path,
                tags=[CHOSEN + path],
                category=paths.category_of(path),
                project_id=self._project,
                memory_type="private" if self._team is None else "team",
                team_id=self._team,
            )
        except ApiError as e:
            raise _refusal(e, path) from e
        memory = done["memory"]
        if done["outcome"] == "held":
            raise Refused(f"held: {path} waits for somebody who may decide ({_said(done['findings'])}); do not write it again")
        if chosen_elsewhere(memory, path):
            await wk.forget(memory["id"])
            raise Refused(f"the path {path} holds something that may not be kept: choose another")
        if done["findings"]:
            _LOG.info("memory: %s was written: %s", memory["id"], _said(done["findings"]))
        return path

    async def _memories(self, wk: AsyncWhoKnows, **filters: Unpack[ListFilters]) -> AsyncIterator[Memory]:
        """Those of the project, then those of none, each newest first; without a project all."""
        if self._project is None:
            async for memory in _pages(wk, filters):
                yield memory
            return
        async for memory in _pages(wk, {**filters, "project_id": self._project}):
            yield memory
        async for memory in _pages(wk, filters):
            if memory["project_id"] is None:
                yield memory

    async def _me(self, wk: AsyncWhoKnows) -> frozenset[str]:
        if self._acts_as is None:  # what a key acts as never changes
            self._acts_as = frozenset((await wk.whoami())["acts_as"])
        return self._acts_as

    def _path(self, memory: Memory, me: frozenset[str]) -> str:
        path = paths.chosen(memory)
        is_copy = memory["injected_by"] is not None or memory["origin"] is not None
        is_ours = memory["author"] in me or (self._team is not None and memory["team_id"] == self._team)
        return path if path is not None and is_ours and not is_copy else paths.derived(memory)


async def _pages(wk: AsyncWhoKnows, filters: ListFilters) -> AsyncIterator[Memory]:
    cursor: str | None = None
    for _ in range(MOST // _PAGE):
        page = await wk.list(limit=_PAGE, cursor=cursor, **filters)
        for memory in page["items"]:
            yield memory
        cursor = page["next_cursor"]
        if cursor is None:
            return


def chosen_elsewhere(memory: Memory, path: str) -> bool:
    """Whether it is not found again under ``path``: what looks like a secret is taken out of tags too."""
    return paths.chosen(memory) != path


def _refusal(error: ApiError, path: str) -> Exception:
    """What a model can do something with; what keeps the server from answering stays what it is."""
    if error.status == 0 or error.status >= 500:
        return error
    if error.status == 404:
        return NoFile(f"File '{path}' not found")
    findings = _said(error.findings)
    return Refused(f"{error.code}: {path} was not changed: {error.detail}" + (f" ({findings})" if findings else ""))


def _said(findings: Sequence[object]) -> str:
    return "; ".join(str(f.get("message", f)) if isinstance(f, dict) else str(f) for f in findings)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


__all__ = ["BadPath", "Folder", "Listing", "MemoryFile", "NoFile", "Refused"]
