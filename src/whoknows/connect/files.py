"""Files that are read whole, and replaced in one step: mode and links stay, and nobody ever sees half of one."""

import hashlib
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from whoknows.connect.faults import ConnectFault
from whoknows.machine import UNFINISHED, write_whole

LARGEST = 8 << 20
"""Bytes of a file of settings. What is larger is something else."""


def sha256(content: bytes | None) -> str | None:
    return None if content is None else hashlib.sha256(content).hexdigest()


def read(path: Path) -> bytes | None:
    """None where there is no such file.

    Raises:
        ConnectFault: it is no file, too large, or cannot be read.
    """
    try:
        described = path.stat()
        if not stat.S_ISREG(described.st_mode):
            raise ConnectFault("no_file", f"{path} is no file")
        if described.st_size > LARGEST:
            raise ConnectFault("too_large", f"{path} has {described.st_size} bytes: that is no file of settings")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise ConnectFault("dead_link", f"{path} is a link that leads nowhere: mend it first") from None
        return None
    except OSError as fault:
        raise ConnectFault("unreadable", f"{path} cannot be read: {fault.strerror or fault}") from fault


def writable(path: Path) -> None:
    """Raises:
    ConnectFault: somebody meant ``path`` not to be changed, or it is another's.
    """
    target = path.resolve()
    with suppress(FileNotFoundError, NotADirectoryError):
        described = target.stat()
        if not described.st_mode & stat.S_IWUSR:
            raise ConnectFault("read_only", f"{path} is read-only: make it writable (chmod u+w), or edit it yourself")
        if described.st_uid != os.geteuid():
            raise ConnectFault("not_yours", f"{path} belongs to another user")
    folder = next(p for p in target.parents if p.exists())
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        raise ConnectFault("read_only", f"nothing can be written in {folder}")


def replace(path: Path, content: bytes, mode: int | None = None) -> None:
    """``path`` holds ``content``, at once. Where it is a link, what it leads to does. ``mode``: of a file that is new."""
    target = path.resolve()
    known = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    write_whole(target, content, known if known is not None else mode if mode is not None else 0o644)


def make_folders(folder: Path, mode: int = 0o755) -> list[Path]:
    """Those that had to be made, outermost first."""
    missing = [p for p in (folder, *folder.parents) if not p.exists()]
    for p in reversed(missing):
        p.mkdir(mode=mode, exist_ok=True)
    return missing[::-1]


def drop_unfinished(folders: Iterable[Path]) -> None:
    """What somebody began to write into them and never finished. Only for those who write there alone."""
    for folder in set(folders):
        with suppress(OSError):
            for path in folder.iterdir():
                if path.name.startswith(UNFINISHED):
                    path.unlink()


def drop_folders(folders: list[Path]) -> None:
    """Those of them that are empty, innermost first."""
    for folder in sorted(folders, key=lambda p: len(p.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def as_text(path: Path, content: bytes | None) -> tuple[str, str]:
    """The mark at its beginning that some editors write, and the text. Empty where there is no file."""
    raw = content or b""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise ConnectFault("not_utf8", f"{path} is not valid UTF-8 at byte {fault.start}") from fault
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    return mark, text[len(mark) :]
