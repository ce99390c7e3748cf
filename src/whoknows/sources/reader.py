"""One reader for all kinds of sources."""

from collections.abc import Mapping, Sequence

from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.ports import SourceFile
from whoknows.sources.git import GitReader
from whoknows.sources.tree import TreeReader


class Reader:
    """The port, by the kind of the location."""

    def __init__(self, git: GitReader, tree: TreeReader) -> None:
        self._git = git
        self._tree = tree

    async def locate(self, where: SourceLocation) -> SourceLocation | None:
        return await self._of(where).locate(where)

    async def revision(self, where: SourceLocation, revision: str | None) -> str | None:
        return await self._of(where).revision(where, revision)

    async def read(self, where: SourceLocation, revision: str, path: str) -> str | None:
        return await self._of(where).read(where, revision, path)

    async def files(self, where: SourceLocation, revision: str) -> Sequence[SourceFile]:
        return await self._of(where).files(where, revision)

    async def texts(self, where: SourceLocation, revision: str, files: Sequence[SourceFile]) -> Mapping[str, str | None]:
        return await self._of(where).texts(where, revision, files)

    async def renames(self, where: SourceLocation, old: str, new: str) -> Mapping[str, str]:
        return await self._of(where).renames(where, old, new)

    def _of(self, where: SourceLocation) -> GitReader | TreeReader:
        match where.kind:
            case LocationKind.GIT:
                return self._git
            case LocationKind.FOLDER:
                return self._tree
