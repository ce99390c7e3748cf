"""This machine: its name, a server on it, where WhoKnows keeps its own files there, and how one is written whole."""

import os
import platform
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

DEFAULT_URL = "http://127.0.0.1:8765"
"""Where clients look for a server that nobody names."""
UNFINISHED = ".new-whoknows-"
"""How a file begins its life beside the one whose place it takes; it stays where the machine went down then."""


class LocalFault(Exception):
    """What keeps work on this machine's files from being done. ``code`` is stable, ``detail`` says to people what to do."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def this_machine() -> str:
    """The host name, as this machine says it."""
    return platform.node() or "localhost"


def data_folder(environment: Mapping[str, str]) -> Path:
    """Of the hook command, at a place that never changes; a server on this machine keeps its data there too."""
    return _folder(environment, "XDG_DATA_HOME", ".local/share")


def state_folder(environment: Mapping[str, str]) -> Path:
    """Of logs, and of the ways back: records of what was connected, copies, backups. The hook command looks there too."""
    return _folder(environment, "XDG_STATE_HOME", ".local/state")


def folder_named(environment: Mapping[str, str], variable: str, default: str) -> Path:
    """The folder of another program: what its ``variable`` names, else ``default`` below the home folder."""
    named = environment.get(variable, "").strip()
    return Path(named).expanduser() if named else _home(environment) / default


def write_whole(path: Path, content: bytes, mode: int) -> None:
    """``path`` holds ``content`` at once for whoever reads it, also after a power cut; or it is as it was, and OSError."""
    handle, name = tempfile.mkstemp(prefix=UNFINISHED, dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def _folder(environment: Mapping[str, str], variable: str, default: str) -> Path:
    """What is not absolute counts for nothing, as the XDG base directories have it."""
    named = environment.get(variable, "")
    return (Path(named) if os.path.isabs(named) else _home(environment) / default) / "whoknows"


def _home(environment: Mapping[str, str]) -> Path:
    return Path(environment.get("HOME") or Path.home())
