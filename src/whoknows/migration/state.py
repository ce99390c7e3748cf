"""Where a migration keeps what it did: backups, reports, and the state that says whether all of it is accounted for."""

import fcntl
import json
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from whoknows.machine import state_folder, write_whole
from whoknows.migration.archive import Backup
from whoknows.migration.faults import MigrationFault
from whoknows.migration.homes import Native

FORM = 1


@dataclass(frozen=True, slots=True)
class Shelf:
    """Folders of one program's migrations. ``backups`` are kept for good; ``states`` may be made again.

    Neither lies beside the data of a server: whoever deletes those to begin anew would lose the way back.
    """

    program: Native
    backups: Path
    states: Path

    @property
    def state(self) -> Path:
        return self.states / f"{self.program}.json"

    @property
    def ledger(self) -> Path:
        return self.states / f"{self.program}.ledger"

    def report(self, ending: str) -> Path:
        return self.states / f"{self.program}-report.{ending}"


def shelf_of(program: Native, environ: Mapping[str, str]) -> Shelf:
    """By the XDG base directories, as they are set or by default."""
    return Shelf(program, state_folder(environ) / "backups", state_folder(environ) / "migrations")


@contextmanager
def one_at_a_time(shelf: Shelf) -> Generator[None]:
    """While files of the program are written. MigrationFault ``busy`` where another restoration is at work."""
    try:
        shelf.states.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (shelf.states / f"{shelf.program}.lock").open("w")
    except OSError as e:
        raise MigrationFault("state_unwritable", f"{shelf.states} cannot be written: {e.strerror}") from e
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as e:
            raise MigrationFault("busy", "another restoration is at work here: wait for it") from e
        yield


def written_state(shelf: Shelf, said: Mapping[str, Any], backup: Backup | None) -> None:
    """Write the state as a whole; the hashes of all backups ever made here are kept."""
    before = known_backups(shelf)
    more = [] if backup is None else [backup.sha256]
    whole = {
        **said,
        "form": FORM,
        "program": str(shelf.program),
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "backup": None if backup is None else {"path": str(backup.path), "sha256": backup.sha256},
        "backups": list(dict.fromkeys([*before, *more])),
    }
    write_private(shelf.state, json.dumps(whole, ensure_ascii=False, indent=2) + "\n")


def marked_not(shelf: Shelf) -> None:
    """What the state says is not true any more: something was restored, or taken back."""
    said = read_state(shelf)
    if said:
        write_private(shelf.state, json.dumps({**said, "reconciled": "not"}, ensure_ascii=False, indent=2) + "\n")


def known_backups(shelf: Shelf) -> list[str]:
    """The hashes of the archives that were made here."""
    return [str(h) for h in read_state(shelf).get("backups", [])]


def begun(shelf: Shelf, backup: Backup) -> None:
    """A run begins: until it has come to its end, nothing is accounted for."""
    written_state(shelf, {**read_state(shelf), "reconciled": "not"}, backup)


def remember_backup(shelf: Shelf, backup: Backup) -> None:
    """So that a restoration knows the archive as one that was made here."""
    said = read_state(shelf) or {"form": FORM, "program": str(shelf.program), "reconciled": "not", "backup": None}
    hashes = list(dict.fromkeys([*known_backups(shelf), backup.sha256]))
    write_private(shelf.state, json.dumps({**said, "backups": hashes}, ensure_ascii=False, indent=2) + "\n")


def read_state(shelf: Shelf) -> dict[str, Any]:
    """What the last run left, empty where there was none or it is of a form that is not known here."""
    try:
        said = json.loads(shelf.state.read_bytes())
    except (OSError, ValueError):
        return {}
    known = isinstance(said, dict) and cast(dict[str, Any], said).get("form") == FORM
    return cast(dict[str, Any], said) if known else {}


def write_private(path: Path, text: str) -> None:
    """As a whole, for nobody else's eyes."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_whole(path, text.encode("utf-8", "backslashreplace"), 0o600)
    except OSError as e:
        raise MigrationFault("state_unwritable", f"{path} cannot be written: {e.strerror}") from e
