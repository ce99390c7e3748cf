"""Memories as files of a deep agent: a backend for ``/memories/``, in a `CompositeBackend`."""

import logging
from collections.abc import Callable, Coroutine
from typing import Any, Self, TypeVar

from whoknows.client import ApiError, AsyncWhoKnows
from whoknows.client.background import Background
from whoknows.integrations.folder import BadPath, Folder, Listing, MemoryFile, NoFile, Refused
from whoknows.integrations.paths import normal
from whoknows.integrations.reach import key_of, needs, url_of

needs("deepagents", "deepagents", "langchain")

from deepagents.backends.protocol import (  # noqa: E402
    BackendProtocol,
    DeleteResult,
    EditResult,
    FileData,
    FileDownloadResponse,
    FileInfo,
    FileUploadResponse,
    GlobResult,
    GrepResult,
    LsResult,
    ReadResult,
    WriteResult,
)
from deepagents.backends.utils import (  # noqa: E402
    InvalidGlobPatternError,
    compile_grep_include_glob,
    grep_matches_from_files,
    perform_string_replacement,
    slice_read_response,
)

from whoknows.integrations.langchain import WhoKnowsMemory  # noqa: E402
from whoknows.integrations.subagents import Access, with_memory  # noqa: E402

__all__ = ["Access", "WhoKnowsBackend", "WhoKnowsMemory", "with_memory"]

T = TypeVar("T")
WITHIN = 10.0
"""Seconds that one operation may take."""
_LOG = logging.getLogger("whoknows")


class WhoKnowsBackend(BackendProtocol):
    """``CompositeBackend(default=StateBackend(), routes={"/memories/": WhoKnowsBackend(key=…)})``.

    What the key may know is there as files; what is written goes through the gate, and an edit needs the version that was
    read. Errors are answered, never raised. ``project_id`` and ``team_id`` as for the folder: see docs/how-to/deepagents.md.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        agent: str | None = None,
        task: str | None = None,
        project_id: str | None = None,
        team_id: str | None = None,
        within: float = WITHIN,
    ) -> None:
        self._background = Background(url_of(url), key=key_of(key), agent=agent, task=task)
        self._folder = Folder(project_id=project_id, team_id=team_id)
        self._within = within

    def ls(self, path: str) -> LsResult:
        return self._do(self._ls(path), lambda e: LsResult(error=e))

    async def als(self, path: str) -> LsResult:
        return await self._ado(self._ls(path), lambda e: LsResult(error=e))

    def read(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        return self._do(self._read(file_path, offset, limit), lambda e: ReadResult(error=e))

    async def aread(self, file_path: str, offset: int = 0, limit: int = 2000) -> ReadResult:
        return await self._ado(self._read(file_path, offset, limit), lambda e: ReadResult(error=e))

    def grep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        return self._do(self._grep(pattern, path, glob, max_count), lambda e: GrepResult(error=e))

    async def agrep(
        self, pattern: str, path: str | None = None, glob: str | None = None, *, max_count: int | None = None
    ) -> GrepResult:
        return await self._ado(self._grep(pattern, path, glob, max_count), lambda e: GrepResult(error=e))

    def glob(self, pattern: str, path: str | None = None) -> GlobResult:
        return self._do(self._glob(pattern, path), lambda e: GlobResult(error=e))

    async def aglob(self, pattern: str, path: str | None = None) -> GlobResult:
        return await self._ado(self._glob(pattern, path), lambda e: GlobResult(error=e))

    def write(self, file_path: str, content: str) -> WriteResult:
        return self._do(self._write(file_path, content), lambda e: WriteResult(error=e))

    async def awrite(self, file_path: str, content: str) -> WriteResult:
        return await self._ado(self._write(file_path, content), lambda e: WriteResult(error=e))

    def edit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        return self._do(self._edit(file_path, old_string, new_string, replace_all), lambda e: EditResult(error=e))

    async def aedit(self, file_path: str, old_string: str, new_string: str, replace_all: bool = False) -> EditResult:
        return await self._ado(self._edit(file_path, old_string, new_string, replace_all), lambda e: EditResult(error=e))

    def delete(self, file_path: str) -> DeleteResult:
        return self._do(self._delete(file_path), lambda e: DeleteResult(error=e))

    async def adelete(self, file_path: str) -> DeleteResult:
        return await self._ado(self._delete(file_path), lambda e: DeleteResult(error=e))

    def upload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [self._do(self._upload(path, data), _not_uploaded(path)) for path, data in files]

    async def aupload_files(self, files: list[tuple[str, bytes]]) -> list[FileUploadResponse]:
        return [await self._ado(self._upload(path, data), _not_uploaded(path)) for path, data in files]

    def download_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [self._do(self._download(path), _not_downloaded(path)) for path in paths]

    async def adownload_files(self, paths: list[str]) -> list[FileDownloadResponse]:
        return [await self._ado(self._download(path), _not_downloaded(path)) for path in paths]

    def close(self) -> None:
        self._background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _do(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], otherwise: Callable[[str], T]) -> T:
        try:
            return self._background.do(work, self._within)
        except Exception as e:
            return otherwise(_told(e))

    async def _ado(self, work: Callable[[AsyncWhoKnows], Coroutine[Any, Any, T]], otherwise: Callable[[str], T]) -> T:
        try:
            return await self._background.ado(work, self._within)
        except Exception as e:
            return otherwise(_told(e))

    def _ls(self, path: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, LsResult]]:
        async def work(wk: AsyncWhoKnows) -> LsResult:
            folder = normal(path)
            start = "/" if folder == "/" else folder + "/"
            entries: dict[str, FileInfo] = {}
            for file in (await self._folder.listing(wk, folder)).files:
                name, below, _ = file.path.removeprefix(start).partition("/")
                if below:
                    entries[start + name + "/"] = FileInfo(path=start + name + "/", is_dir=True, size=0, modified_at="")
                elif file.path != folder:
                    entries[file.path] = _info(file)
            return LsResult(entries=[entries[p] for p in sorted(entries)])

        return work

    def _read(self, path: str, offset: int, limit: int) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, ReadResult]]:
        async def work(wk: AsyncWhoKnows) -> ReadResult:
            return slice_read_response(_data(await self._folder.file(wk, path)), offset, limit)

        return work

    def _grep(
        self, pattern: str, path: str | None, glob: str | None, most: int | None
    ) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, GrepResult]]:
        async def work(wk: AsyncWhoKnows) -> GrepResult:
            listing = await self._folder.listing(wk, normal(path or "/"))
            found = grep_matches_from_files(_by_path(listing), pattern, path or "/", glob, max_count=most)
            found.truncated = found.truncated or listing.cut
            return found

        return work

    def _glob(self, pattern: str, path: str | None) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, GlobResult]]:
        async def work(wk: AsyncWhoKnows) -> GlobResult:
            folder = normal(path or "/")
            try:
                matches = compile_grep_include_glob(pattern)
            except InvalidGlobPatternError as e:
                return GlobResult(error=str(e))
            listing = await self._folder.listing(wk, folder)
            start = 1 if folder == "/" else len(folder) + 1
            found = [_info(f) for f in listing.files if matches(f.path[start:] or f.path.rsplit("/", 1)[-1])]
            return GlobResult(matches=found, truncated=listing.cut, truncation_reason="budget" if listing.cut else None)

        return work

    def _write(self, path: str, content: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, WriteResult]]:
        async def work(wk: AsyncWhoKnows) -> WriteResult:
            return WriteResult(path=await self._folder.write(wk, path, content))

        return work

    def _edit(
        self, path: str, old: str, new: str, replace_all: bool
    ) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, EditResult]]:
        async def work(wk: AsyncWhoKnows) -> EditResult:
            file = await self._folder.file(wk, path)
            replaced = perform_string_replacement(file.text, old, new, replace_all)
            if isinstance(replaced, str):
                return EditResult(error=replaced)
            text, occurrences = replaced
            return EditResult(path=await self._folder.edit(wk, file, text), occurrences=occurrences)

        return work

    def _delete(self, path: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, DeleteResult]]:
        async def work(wk: AsyncWhoKnows) -> DeleteResult:
            await self._folder.delete(wk, path)
            return DeleteResult(path=path)

        return work

    def _upload(self, path: str, data: bytes) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, FileUploadResponse]]:
        async def work(wk: AsyncWhoKnows) -> FileUploadResponse:
            try:
                text = data.decode()
            except UnicodeDecodeError:
                return FileUploadResponse(path=path, error="a memory is text: this is no UTF-8")
            try:
                await self._folder.write(wk, path, text)
            except BadPath:
                return FileUploadResponse(path=path, error="invalid_path")
            return FileUploadResponse(path=path)

        return work

    def _download(self, path: str) -> Callable[[AsyncWhoKnows], Coroutine[Any, Any, FileDownloadResponse]]:
        async def work(wk: AsyncWhoKnows) -> FileDownloadResponse:
            try:
                file = await self._folder.file(wk, path)
            except BadPath:
                return FileDownloadResponse(path=path, error="invalid_path")
            except NoFile:
                below = (await self._folder.listing(wk, normal(path))).files
                return FileDownloadResponse(path=path, error="is_directory" if below else "file_not_found")
            return FileDownloadResponse(path=path, content=file.text.encode())

        return work


def _not_uploaded(path: str) -> Callable[[str], FileUploadResponse]:
    return lambda e: FileUploadResponse(path=path, error=e)


def _not_downloaded(path: str) -> Callable[[str], FileDownloadResponse]:
    # The middleware that loads files into the prompt ends the run for any other error: an agent goes on without memory.
    return lambda e: FileDownloadResponse(path=path, error="file_not_found")  # noqa: ARG005


def _told(error: Exception) -> str:
    match error:
        case BadPath() | Refused() | NoFile():
            return f"Error: {error}"
        case ApiError():
            _LOG.warning("memory: going on without it: %s (%s)", error.detail, error.code)
            return f"Error: memory is not reachable at the moment ({error.code}): go on without it"
        case _:
            _LOG.warning("memory: going on without it: %s: %s", type(error).__name__, error)
            return "Error: memory is not reachable at the moment: go on without it"


def _data(file: MemoryFile) -> FileData:
    m = file.memory
    return FileData(content=file.text, encoding="utf-8", created_at=m["created_at"], modified_at=m["updated_at"])


def _by_path(listing: Listing) -> dict[str, FileData]:
    return {f.path: _data(f) for f in listing.files}


def _info(file: MemoryFile) -> FileInfo:
    return FileInfo(path=file.path, is_dir=False, size=len(file.text.encode()), modified_at=file.memory["updated_at"])
