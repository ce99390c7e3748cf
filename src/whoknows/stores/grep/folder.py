"""The folder of one bank: a file for each fact, written whole or not at all, one writer at a time."""

import fcntl
import hashlib
import os
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from whoknows.errors import StoreUnavailable
from whoknows.gate.duplicates import same_words
from whoknows.machine import write_whole
from whoknows.stores.grep.cards import Card, parse, render

_SUFFIX = ".md"
_LOCK = ".lock"
_KEY = 32
"""Hexadecimal digits of a file's name: 128 bits of the words and the project of its fact."""


class BankFolder:
    """``root/kind/name``. A link on the way is not followed: what lies elsewhere is no bank."""

    def __init__(self, root: Path, kind: str, name: str) -> None:
        self._steps = (root, root / kind, root / kind / name)
        self.path = self._steps[-1]

    def files(self) -> Iterator[tuple[str, str]]:
        """(key, what is written there) of every file; none where nothing was written yet."""
        if self._elsewhere() or not self.path.is_dir():
            return
        for path in sorted(self.path.glob(f"*{_SUFFIX}")):
            written = _read(path) if is_key(path.stem) else None
            if written is not None:
                yield path.stem, written

    def put(self, key: str, change: Callable[[Card | None], Card]) -> None:
        """Write what ``change`` makes of the card that is there. What others write meanwhile is neither lost nor torn."""
        if self._elsewhere():
            raise StoreUnavailable("the folder of this bank is a link: nothing is written through it")
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = self.path / f"{key}{_SUFFIX}"
        with self._locked():
            written = _read(path)
            _write(path, render(change(None if written is None else parse(written))))

    def remove(self, key: str) -> bool:
        if self._elsewhere() or not self.path.is_dir() or not is_key(key):
            return False
        with self._locked():
            try:
                (self.path / f"{key}{_SUFFIX}").unlink()
            except FileNotFoundError:
                return False
        return True

    @contextmanager
    def _locked(self) -> Generator[None]:
        with open(self.path / _LOCK, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # let go of when the file is closed, also by a process that dies
            yield

    def _elsewhere(self) -> bool:
        return any(step.is_symlink() for step in self._steps[1:])


def key_of(text: str, project: str | None) -> str:
    """The same words (rules W7) of the same project are one fact."""
    words = f"{project or ''}\0{same_words(text)}" if project is not None else same_words(text)
    return hashlib.sha256(words.encode()).hexdigest()[:_KEY]


def is_key(text: str) -> bool:
    return len(text) == _KEY and all(c in "0123456789abcdef" for c in text)


def _read(path: Path) -> str | None:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # removed meanwhile, or a link
        return None
    with open(descriptor, encoding="utf-8", newline="") as file:
        try:
            return file.read()
        except (UnicodeDecodeError, OSError):
            return None


def _write(path: Path, text: str) -> None:
    write_whole(path, text.encode(), 0o600)
