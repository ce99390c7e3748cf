"""Anthropic's six memory commands as work on the folder, with the sentences that the models were trained with."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from whoknows.client import AsyncWhoKnows
from whoknows.integrations.folder import BadPath, Folder, MemoryFile, NoFile, Refused
from whoknows.integrations.paths import normal
from whoknows.integrations.reach import needs

needs("anthropic", "anthropic")

from anthropic.lib.tools import ToolError  # noqa: E402
from anthropic.types.beta import (  # noqa: E402
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

ROOT = "/memories"
_LEVELS = 2
_AROUND = 2
_WIDTH = 6
Work = Callable[[AsyncWhoKnows], Coroutine[Any, Any, str]]


class Commands:
    """Each command as work for the client. Raises ToolError, and what the folder and the client raise."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            path = _below_root(command.path)
            if path != "/":
                try:
                    return _numbered(command.path, await self._folder.file(wk, path), command.view_range)
                except NoFile:
                    pass
            files = (await self._folder.listing(wk, path)).files
            if not files and path != "/":
                raise ToolError(f"The path {command.path} does not exist. Please provide a valid path.")
            return _listed(command.path.rstrip("/"), path, files)

        return work

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            try:
                await self._folder.write(wk, _below_root(command.path), command.file_text, new=True)
            except Refused as e:
                raise ToolError(str(e).replace(_below_root(command.path), command.path)) from e
            return f"File created successfully at: {command.path}"

        return work

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            file = await self._there(wk, command.path)
            text, old = file.text, command.old_str
            count = text.count(old) if old else 0
            if count == 0:
                raise ToolError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {command.path}.")
            if count > 1:
                lines = ", ".join(str(n) for n in _lines_of(text, old))
                raise ToolError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}. "
                    "Please ensure it is unique"
                )
            changed = text.replace(old, command.new_str)
            await self._folder.edit(wk, file, changed)
            at = text[: text.find(old)].count("\n")
            lines = changed.split("\n")
            first, last = max(0, at - _AROUND), min(len(lines), at + _AROUND + 1)
            snippet = "\n".join(_line(n + 1, lines[n]) for n in range(first, last))
            return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{snippet}"

        return work

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            file = await self._there(wk, command.path)
            lines = file.text.removesuffix("\n").split("\n")
            if not 0 <= command.insert_line <= len(lines):
                raise ToolError(
                    f"Invalid `insert_line` parameter: {command.insert_line}. It should be within the range [0, {len(lines)}]."
                )
            lines.insert(command.insert_line, command.insert_text.rstrip("\n"))
            await self._folder.edit(wk, file, "\n".join(lines) + "\n")
            return f"The file {command.path} has been edited."

        return work

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            path = _below_root(command.path)
            if path == "/":
                raise ToolError("Cannot delete the /memories directory itself")
            try:
                await self._folder.delete(wk, path)
            except NoFile as e:
                raise ToolError(f"The path {command.path} does not exist") from e
            return f"Successfully deleted {command.path}"

        return work

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> Work:
        async def work(wk: AsyncWhoKnows) -> str:
            old, new = _below_root(command.old_path), _below_root(command.new_path)
            if old == "/":
                raise ToolError("Cannot rename the /memories directory itself")
            try:
                await self._folder.rename(wk, old, new)
            except NoFile as e:
                raise ToolError(f"The path {command.old_path} does not exist") from e
            except Refused as e:
                raise ToolError(str(e).replace(new, command.new_path)) from e
            return f"Successfully renamed {command.old_path} to {command.new_path}"

        return work

    async def _there(self, wk: AsyncWhoKnows, path: str) -> MemoryFile:
        below = _below_root(path)
        try:
            return await self._folder.file(wk, below)
        except NoFile as e:
            is_folder = below == "/" or bool((await self._folder.listing(wk, below)).files)
            why = "is not a file." if is_folder else "does not exist. Please provide a valid path."
            raise ToolError(f"The path {path} {why}") from e


def _below_root(path: str) -> str:
    """The path in the folder. ToolError for one that is not below ``/memories``."""
    if path != ROOT and not path.startswith(ROOT + "/"):
        raise ToolError(f"Path must start with /memories, got: {path}")
    try:
        return normal(path.removeprefix(ROOT) or "/")
    except BadPath as e:
        raise ToolError(f"Path {path} would escape /memories directory" if ".." in path else str(e)) from e


def _numbered(path: str, file: MemoryFile, view_range: Sequence[int] | None) -> str:
    lines = file.text.split("\n")
    first, last = 1, len(lines)
    if view_range and len(view_range) == 2:
        first = max(1, view_range[0])
        last = len(lines) if view_range[1] == -1 else view_range[1]
    shown = "\n".join(_line(first + n, text) for n, text in enumerate(lines[first - 1 : last]))
    return f"Here's the content of {path} with line numbers:\n{shown}"


def _listed(shown: str, folder: str, files: Sequence[MemoryFile]) -> str:
    """Two levels, without what is hidden; a folder has the size of what stands below it."""
    start = "" if folder == "/" else folder
    sizes: dict[str, int] = {}
    for file in files:
        parts = file.path.removeprefix(start).strip("/").split("/")
        if any(p.startswith(".") for p in parts):
            continue
        size = len(file.text.encode())
        for depth in range(1, min(len(parts), _LEVELS) + 1):
            name = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[name] = sizes.get(name, 0) + size
    whole = sum(s for name, s in sizes.items() if name.count("/") == 0 or (name.endswith("/") and name.count("/") == 1))
    lines = [f"{_size(whole)}\t{shown}", *(f"{_size(sizes[n])}\t{shown}/{n}" for n in sorted(sizes))]
    return f"Here're the files and directories up to 2 levels deep in {shown}, excluding hidden items:\n" + "\n".join(lines)


def _lines_of(text: str, part: str) -> list[int]:
    found: list[int] = []
    at = text.find(part)
    while at != -1:
        found.append(text[:at].count("\n") + 1)
        at = text.find(part, at + 1)
    return found


def _line(number: int, text: str) -> str:
    return f"{number:>{_WIDTH}}\t{text}"


def _size(count: int) -> str:
    size, unit = float(count), "B"
    for unit in "BKMG":
        if size < 1024 or unit == "G":
            break
        size /= 1024
    return f"{size:.0f}{unit}" if size == int(size) else f"{size:.1f}{unit}"
