"""Anthropic's memory tool ``memory_20250818`` over the folder of memories, waiting or awaited."""

import logging
from typing import Any, Self

from whoknows.client import ApiError
from whoknows.client.background import Background
from whoknows.integrations.folder import BadPath, Folder, NoFile, Refused
from whoknows.integrations.reach import key_of, needs, url_of

needs("anthropic", "anthropic")

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError  # noqa: E402
from anthropic.types.beta import (  # noqa: E402
    BetaMemoryTool20250818CreateCommand,
    BetaMemoryTool20250818DeleteCommand,
    BetaMemoryTool20250818InsertCommand,
    BetaMemoryTool20250818RenameCommand,
    BetaMemoryTool20250818StrReplaceCommand,
    BetaMemoryTool20250818ViewCommand,
)

from whoknows.integrations.memory_commands import Commands, Work  # noqa: E402

__all__ = ["AsyncWhoKnowsMemoryTool", "WhoKnowsMemoryTool"]

WITHIN = 10.0
"""Seconds that one command may take."""
_LOG = logging.getLogger("whoknows")


class _OfTheFolder:
    """What both kinds are made of."""

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
        super().__init__()
        self._background = Background(url_of(url), key=key_of(key), agent=agent, task=task)
        self._commands = Commands(Folder(project_id=project_id, team_id=team_id))
        self._within = within


class WhoKnowsMemoryTool(_OfTheFolder, BetaAbstractMemoryTool):
    """``client.beta.messages.tool_runner(…, tools=[WhoKnowsMemoryTool(key=…)])``: Claude's memory is what its key may know.

    ``project_id`` and ``team_id`` as for the folder: see docs/how-to/anthropic.md. Errors are told to the model; while the
    server is away they say so, and the conversation goes on.
    """

    def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return self._do(self._commands.view(command))

    def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return self._do(self._commands.create(command))

    def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return self._do(self._commands.str_replace(command))

    def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return self._do(self._commands.insert(command))

    def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return self._do(self._commands.delete(command))

    def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return self._do(self._commands.rename(command))

    def close(self) -> None:
        self._background.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _do(self, work: Work) -> str:
        try:
            return self._background.do(work, self._within)
        except Exception as e:
            raise _told(e) from e


class AsyncWhoKnowsMemoryTool(_OfTheFolder, BetaAsyncAbstractMemoryTool):
    """The same for the client that is awaited."""

    async def view(self, command: BetaMemoryTool20250818ViewCommand) -> str:
        return await self._do(self._commands.view(command))

    async def create(self, command: BetaMemoryTool20250818CreateCommand) -> str:
        return await self._do(self._commands.create(command))

    async def str_replace(self, command: BetaMemoryTool20250818StrReplaceCommand) -> str:
        return await self._do(self._commands.str_replace(command))

    async def insert(self, command: BetaMemoryTool20250818InsertCommand) -> str:
        return await self._do(self._commands.insert(command))

    async def delete(self, command: BetaMemoryTool20250818DeleteCommand) -> str:
        return await self._do(self._commands.delete(command))

    async def rename(self, command: BetaMemoryTool20250818RenameCommand) -> str:
        return await self._do(self._commands.rename(command))

    async def close(self) -> None:
        self._background.close()

    async def _do(self, work: Work) -> str:
        try:
            return await self._background.ado(work, self._within)
        except Exception as e:
            raise _told(e) from e


def _told(error: Exception) -> ToolError:
    match error:
        case ToolError():
            return error
        case NoFile() | Refused() | BadPath():
            return ToolError(str(error))
        case ApiError():
            _LOG.warning("memory: going on without it: %s (%s)", error.detail, error.code)
            return ToolError(f"memory is not reachable at the moment ({error.code}): go on without it")
        case _:
            _LOG.warning("memory: going on without it: %s: %s", type(error).__name__, error)
            return ToolError("memory is not reachable at the moment: go on without it")
