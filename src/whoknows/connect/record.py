"""What `connect` did to the files of a program: kept until it is undone, with copies of what was there."""

import fcntl
import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from whoknows.connect import files
from whoknows.connect.faults import ConnectFault
from whoknows.connect.places import Places
from whoknows.domain.harness import Program

_FORM = 1
_PATIENCE = 10.0
"""Seconds to wait for another `connect` on this machine."""
_KEPT = 20
"""Folders of copies that stay, newest first."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One file. Hashes are SHA-256 in hex, None for no file; copies are names in the folder of copies.

    ``base``: without us; it comes back when the program is disconnected. ``was``: just before the last writing. ``after``: as
    we left it.
    """

    path: str
    after: str | None
    base: str | None
    base_copy: str | None
    was: str | None
    was_copy: str | None
    mode: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """``written`` is False while files are being written: who finds that undoes it first. ``folders`` are those we made."""

    program: Program
    url: str
    release: str
    at: datetime
    entries: tuple[Entry, ...]
    folders: tuple[str, ...]
    written: bool

    def entry(self, path: Path) -> Entry | None:
        return next((e for e in self.entries if e.path == str(path)), None)

    def as_json(self) -> dict[str, Any]:
        return {"form": _FORM, **asdict(self), "program": str(self.program), "at": self.at.isoformat()}

    @classmethod
    def of(cls, said: dict[str, Any]) -> Self:
        return cls(
            program=Program(said["program"]),
            url=said["url"],
            release=said["release"],
            at=datetime.fromisoformat(said["at"]),
            entries=tuple(Entry(**e) for e in said["entries"]),
            folders=tuple(said["folders"]),
            written=said["written"] is True,
        )


class Records:
    """The records of all programs in one folder, and the copies beside them. Only their owner reads them.

    They lie in the folder of state: beside the data of a server, whoever deletes those to begin anew would lose the way back.
    """

    def __init__(self, places: Places) -> None:
        self.data = places.data
        self._folder = places.state / "connect"

    @contextmanager
    def locked(self) -> Generator[None]:
        """One change at a time on this machine.

        Raises:
            ConnectFault: ``busy``.
        """
        files.make_folders(self._folder, 0o700)
        with (self._folder / "lock").open("w") as lock:
            until = time.monotonic() + _PATIENCE
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except OSError:
                    if time.monotonic() > until:
                        raise ConnectFault("busy", "another `whoknows connect` is at work here: wait for it") from None
                    time.sleep(0.05)
            yield

    def read(self, program: Program) -> Record | None:
        path = self._path(program)
        raw = files.read(path)
        if raw is None:
            return None
        try:
            said = json.loads(raw)
            if said["form"] != _FORM:
                raise ConnectFault("newer_record", f"{path} was written by another release of WhoKnows")
            return Record.of(said)
        except (ValueError, KeyError, TypeError) as fault:
            raise ConnectFault("broken_record", f"{path} cannot be understood: move it away") from fault

    def keep(self, record: Record) -> None:
        files.make_folders(self._folder, 0o700)
        written = json.dumps(record.as_json(), ensure_ascii=False, indent=1).encode()
        files.replace(self._path(record.program), written, 0o600)

    def forget(self, program: Program) -> None:
        self._path(program).unlink(missing_ok=True)

    def touched(self, path: Path, before: bytes | None, after: bytes | None, change: Callable[[bytes], bytes] | None) -> None:
        """We ourselves changed ``path`` otherwise: records that left it as it was before know it as it is now.

        ``change``: what was done, to be done to what will be put back as well.
        """
        for program in Program:
            record = self.read(program)
            entry = record.entry(path) if record else None
            if record is None or entry is None or entry.after != files.sha256(before):
                continue
            now = replace(entry, after=files.sha256(after))
            base = self.copy(program, entry.base_copy, entry.base) if change and entry.base_copy and entry.base else None
            if change and base is not None and (changed := change(base)) != base:
                copies = self.new_copies(program)
                name = copies.add(path, changed, entry.mode, "without whoknows")
                copies.close()
                now = replace(now, base=files.sha256(changed), base_copy=name)
            self.keep(replace(record, entries=tuple(now if e is entry else e for e in record.entries)))

    def used_by_others(self, program: Program) -> set[str]:
        """Files that the records of other programs name."""
        others = (self.read(p) for p in Program if p is not program)
        return {e.path for record in others if record for e in record.entries}

    def new_copies(self, program: Program) -> "Copies":
        folder = self._folder / program / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
        files.make_folders(folder, 0o700)
        return Copies(folder)

    def copy(self, program: Program, name: str, sha: str) -> bytes:
        """Raises:
        ConnectFault: it is gone, or is not what it was.
        """
        content = files.read(self._folder / program / name)
        if content is None or files.sha256(content) != sha:
            raise ConnectFault("copy_lost", f"the copy {self._folder / program / name} is gone or was changed")
        return content

    def tidy(self, program: Program) -> None:
        """Old copies go, but never one that the record names."""
        record = self.read(program)
        named = {n for e in record.entries for n in (e.base_copy, e.was_copy) if n} if record else set[str]()
        used = {n.split("/")[0] for n in named}
        folder = self._folder / program
        old = sorted((p for p in folder.iterdir() if p.is_dir()), reverse=True)[_KEPT:] if folder.is_dir() else []
        for p in old:
            if p.name not in used:
                for f in p.iterdir():
                    f.unlink()
                p.rmdir()

    def _path(self, program: Program) -> Path:
        return self._folder / f"{program}.json"


class Copies:
    """One folder of copies, with a list of what they are copies of."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._listed: list[dict[str, Any]] = []

    def add(self, path: Path, content: bytes | None, mode: int | None, what: str) -> str | None:
        """Its name for ``Records.copy``; None where there is nothing to copy."""
        if content is None:
            self._listed.append({"path": str(path), "what": what, "sha256": None})
            return None
        name = f"{len(self._listed):03}-{path.name}"
        files.replace(self.folder / name, content, 0o600)
        self._listed.append(
            {"path": str(path), "what": what, "copy": name, "sha256": files.sha256(content), "mode": mode and oct(mode)}
        )
        return f"{self.folder.name}/{name}"

    def close(self) -> None:
        written = json.dumps(self._listed, ensure_ascii=False, indent=1).encode()
        files.replace(self.folder / "manifest.json", written, 0o600)
