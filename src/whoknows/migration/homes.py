"""Where programs keep what they remember: the folders that are read and backed up, and none beside them."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import cast

from whoknows.machine import folder_named
from whoknows.migration.codex_database import LOG
from whoknows.migration.faults import MigrationFault


class Native(StrEnum):
    """The programs that have memories of their own."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"


@dataclass(frozen=True, slots=True)
class Root:
    """A folder in which memories are kept, and which of its own folders those are, relative and with slashes.

    ``label`` is how sources of it begin: ``.claude``. ``project`` is the directory that it belongs to, where it is one.
    """

    path: Path
    folders: tuple[str, ...]
    label: str
    project: str | None = None


def roots_of(program: Native, home: Path | None, projects: Sequence[Path]) -> list[Root]:
    """What there is on this machine. ``home``: somebody's home directory; None: one's own, as the program itself finds it."""
    main = program_folder(program, home)
    found = [Root(main, tuple(_folders(program, main)), _LABELS[program])]
    if program is Native.CLAUDE_CODE:
        for project in projects:
            inside = [f for f in _OF_A_PROJECT if os.path.lexists(project / f)]
            if inside:
                name = project.name or "project"
                same = sum(r.path.name == project.name for r in found[1:])
                found.append(Root(project, tuple(inside), f"{name}~{same + 1}" if same else name, str(project)))
    return found


def program_folder(program: Native, home: Path | None) -> Path:
    """``~/.claude`` or ``~/.codex``, links resolved, whether it is there or not."""
    label = _LABELS[program]
    folder = folder_named(os.environ, _VARIABLES[program], label) if home is None else home / label
    try:
        return folder.resolve()
    except (OSError, RuntimeError) as e:
        raise MigrationFault("home_unreadable", f"{folder} cannot be read: {e}") from e


def memories_elsewhere(program: Native, main: Path) -> str | None:
    """The folder to which the settings of Claude Code move its memories, where they do."""
    if program is not Native.CLAUDE_CODE:
        return None
    try:
        with (main / "settings.json").open("rb") as file:
            said = json.loads(file.read(_LARGEST_SETTINGS))
    except (OSError, ValueError, RecursionError):
        return None
    named = cast(dict[str, object], said).get("autoMemoryDirectory") if isinstance(said, dict) else None
    return named if isinstance(named, str) and named else None


def may_hold(program: Native, path: str) -> bool:
    """Whether a relative path lies in a folder where the program keeps memories: nothing else is ever written."""
    return any(path == f or path.startswith(f + "/") for f in _CONSTANT[program]) or (
        program is Native.CLAUDE_CODE and re.match(r"projects/[^/]+/memory(?:/|\Z)", path) is not None
    )


def is_database(program: Native, path: str) -> bool:
    """Whether it is one that the program goes on writing, or belongs to one."""
    return program is Native.CODEX and path.startswith(_DATABASES)


def _folders(program: Native, main: Path) -> Iterator[str]:
    if program is Native.CLAUDE_CODE:
        for name in sorted(_names(main / "projects")):
            if os.path.lexists(main / "projects" / name / "memory"):
                yield f"projects/{name}/memory"
        yield from (f for f in ("agent-memory",) if os.path.lexists(main / f))
    else:
        yield from (f for f in _CONSTANT[program] if os.path.lexists(main / f))


def _names(folder: Path) -> Iterable[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return ()
    except OSError as e:
        raise MigrationFault("home_unreadable", f"{folder} cannot be read: {e.strerror}") from e


_LARGEST_SETTINGS = 1 << 20
_LABELS = {Native.CLAUDE_CODE: ".claude", Native.CODEX: ".codex"}
_VARIABLES = {Native.CLAUDE_CODE: "CLAUDE_CONFIG_DIR", Native.CODEX: "CODEX_HOME"}
_OF_A_PROJECT = (".claude/agent-memory", ".claude/agent-memory-local")
_DATABASES = ("memories_1.sqlite", "memories_v2_1.sqlite")
_CONSTANT = {
    Native.CLAUDE_CODE: ("agent-memory", *_OF_A_PROJECT),
    # The log of a database before the database: whatever Codex does in between, they fit together.
    Native.CODEX: ("memories", "memories_v2", *(name for d in _DATABASES for name in (d + LOG, d))),
}
