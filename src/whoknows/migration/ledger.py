"""The ledger of a migration: which statement became which memory, one line each, so that a run goes on where one ended.

It holds hashes and ids, and no text. A line that was cut off when the machine went down is as if it had not been written.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

from whoknows.migration.faults import MigrationFault


@dataclass(frozen=True, slots=True)
class Known:
    """``version`` is that of the memory when it was stored. ``own``: this migration made it."""

    key: str
    memory: str
    outcome: str
    version: int

    @property
    def own(self) -> bool:
        return self.outcome in ("stored", "superseding", "held")


class Ledger:
    """Of one program, server and person. Opening it reads it."""

    def __init__(self, path: Path, whose: str) -> None:
        self._path, self._whose = path, whose
        self.known: dict[str, Known] = {}
        self.run = ""
        """The id of a run that did not come to its end, else empty."""
        for line in _lines(path):
            self._take(line)

    def begin(self) -> str:
        """The id of the run: that of one that was interrupted, or a new one."""
        if not self.run:
            self._write([{"begin": str(uuid4())}])
        return self.run

    def add(self, those: Iterable[Known]) -> None:
        self._write({"key": k.key, "memory": k.memory, "outcome": k.outcome, "version": k.version} for k in those)

    def end(self) -> None:
        self._write([{"end": self.run}])

    def remove(self, keys: Iterable[str]) -> None:
        """They may be stored again."""
        self._write({"gone": key} for key in keys)

    def _write(self, lines: Iterable[dict[str, Any]]) -> None:
        said = [{"of": self._whose, **line} for line in lines]
        whole = "".join(json.dumps(line) + "\n" for line in said).encode()
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
                size = os.fstat(file.fileno()).st_size
                torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
                file.write(b"\n" + whole if torn else whole)
                file.flush()
                os.fsync(file.fileno())
        except OSError as e:
            raise MigrationFault("state_unwritable", f"{self._path} cannot be written: {e.strerror}") from e
        for line in said:
            self._take(line)

    def _take(self, line: dict[str, Any]) -> None:
        if line.get("of") != self._whose:
            return
        match line:
            case {"begin": str(run)}:
                self.run = run
            case {"end": _}:
                self.run = ""
            case {"gone": str(key)}:
                self.known.pop(key, None)
            case {"key": str(key), "memory": str(memory), "outcome": str(outcome), "version": int(version)}:
                self.known[key] = Known(key, memory, outcome, version)
            case _:
                pass


def _lines(path: Path) -> Iterable[dict[str, Any]]:
    try:
        whole = path.read_bytes()
    except FileNotFoundError:
        return
    except OSError as e:
        raise MigrationFault("state_unreadable", f"{path} cannot be read: {e.strerror}") from e
    for line in whole.split(b"\n"):
        try:
            said = json.loads(line)
        except ValueError:
            continue
        if isinstance(said, dict):
            yield cast(dict[str, Any], said)
