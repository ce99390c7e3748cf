"""A folder of Markdown files, read file by file; what cannot be read is told and does not stop the others."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIXES = (".md", ".markdown")
MOST_BYTES = 4 * 1024 * 1024
"""Larger files are no notes."""


@dataclass(frozen=True, slots=True)
class File:
    """``path`` is relative to the folder, with ``/``."""

    path: str
    text: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    path: str
    why: str


def markdown_files(folder: Path) -> Iterator[File | Unreadable]:
    """All Markdown files under ``folder``, in the order of their names.

    Hidden folders are passed over. Linked folders are not entered, and a linked file counts only if it lies in ``folder``.
    """
    root = folder.resolve()
    for where, directories, names in os.walk(root):
        directories[:] = sorted(d for d in directories if not d.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(SUFFIXES):
                path = Path(where, name)
                yield _read(path, path.relative_to(root).as_posix(), root)


def _read(path: Path, relative: str, root: Path) -> File | Unreadable:
    shown = os.fsencode(relative).decode("utf-8", "backslashreplace")
    try:
        if shown != relative:
            return Unreadable(shown, "the name of the file is not valid UTF-8")
        if not path.resolve(strict=True).is_relative_to(root):
            return Unreadable(shown, "a link that leads out of the folder is not followed")
        if not path.is_file():
            return Unreadable(shown, "this is no regular file")
        if path.stat().st_size > MOST_BYTES:
            return Unreadable(shown, f"larger than {MOST_BYTES // 1024 // 1024} MiB")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as e:
        return Unreadable(shown, f"not valid UTF-8 at byte {e.start}")
    except OSError as e:
        return Unreadable(shown, e.strerror or "cannot be read")
    if "\0" in text:
        return Unreadable(shown, f"a NUL character stands at position {text.index(chr(0))}")
    return File(shown, text)
