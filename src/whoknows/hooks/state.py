"""The folder of state on this machine, in which nothing ever holds anybody up and every failure is only a False."""

from __future__ import annotations

import os
import time

from .faults import Ignored

_KEPT = 2 * 24 * 3600
"""Seconds that a session is remembered after it was told something."""
_MANY = 50
_FLAGS = ("O_WRONLY", "O_CREAT", "O_APPEND", "O_CLOEXEC", "O_NONBLOCK", "O_NOFOLLOW")
_OPENED = sum(getattr(os, name, 0) for name in _FLAGS)
"""Not blocking: where somebody put a named pipe, opening it would wait for its reader. Nor through a link: what it leads to is
no file of ours to add to."""


def folder() -> str | None:
    """``$XDG_STATE_HOME/whoknows``, else ``~/.local/state/whoknows``; None where nobody has a home. It need not exist."""
    chosen = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(chosen):
        return os.path.join(chosen, "whoknows")
    home = os.environ.get("HOME") or _home_of_account()
    return os.path.join(home, ".local", "state", "whoknows") if os.path.isabs(home) else None


def server_name(url: str) -> str:
    """``url`` as a part of the name of a file. Addresses that differ only in their signs, or far behind, are named alike."""
    return "".join(c if c.isascii() and c.isalnum() else "-" for c in url)[:100]


def append(path: str, line: bytes) -> int:
    """Add a line in one write, which the system does not mix with others'. Answers the size of the file, 0 where it failed."""
    try:
        file = _open_with_folder(path)
        try:
            whole = os.write(file, line) == len(line)
            return os.fstat(file).st_size if whole else 0
        finally:
            os.close(file)
    except OSError:
        return 0


def tail(path: str, most: int) -> bytes:
    """The last ``most`` bytes; nothing of a file that is not there or cannot be read."""
    try:
        file = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        try:
            size = os.fstat(file).st_size
            os.lseek(file, max(0, size - most), os.SEEK_SET)
            return os.read(file, most)
        finally:
            os.close(file)
    except OSError:
        return b""


def replace(path: str, content: bytes) -> bool:
    """Write the whole file, at once for whoever reads it."""
    beside = f"{path}.{os.getpid()}"
    try:
        file = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if os.write(file, content) != len(content):
                raise OSError("no room for all of it")
        finally:
            os.close(file)
        os.replace(beside, path)
    except OSError:
        remove(beside)
        return False
    return True


def remove(path: str) -> None:
    with Ignored():
        os.unlink(path)


def first_time(path: str) -> bool:
    """Whether ``path`` was not there before: of many that ask at once one hears True. False, too, where it cannot be kept."""
    try:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        _forget_old(os.path.dirname(path))
    except OSError:
        return False
    return True


def _open_with_folder(path: str) -> int:
    try:
        return os.open(path, _OPENED, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)
        return os.open(path, _OPENED, 0o600)


def _forget_old(directory: str) -> None:
    entries = list(os.scandir(directory))
    if len(entries) > _MANY:
        for entry in entries:
            if time.time() - entry.stat(follow_symlinks=False).st_mtime > _KEPT:
                remove(entry.path)


def _home_of_account() -> str:
    try:
        import pwd  # noqa: PLC0415

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError, AttributeError):
        return ""
