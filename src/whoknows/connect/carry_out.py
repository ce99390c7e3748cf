"""A plan becomes files: copies first, then a note of what is to come, then the files; what breaks off is undone."""

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from whoknows import __version__
from whoknows.connect import files
from whoknows.connect.faults import ConnectFault
from whoknows.connect.plan import Change
from whoknows.connect.record import Entry, Record, Records
from whoknows.domain.harness import Program


def connect(program: Program, url: str, changes: Sequence[Change], records: Records) -> Path | None:
    """Carry out a plan of `to_connect`, within ``records.locked()``. Where the copies are; None where nothing was copied.

    Raises:
        ConnectFault: with every file as it was.
    """
    before = records.read(program)
    real = [c for c in changes if c.does != "unchanged"]
    if before is not None and not real and {e.path for e in before.entries} == {str(c.path) for c in changes}:
        return None
    _still_so(real)
    copies = records.new_copies(program)
    entries: list[Entry] = []
    for c in changes:
        mode = _mode(c.path)
        was = copies.add(c.path, c.now, mode, "before this change") if c.does != "unchanged" else None
        base = was if was and c.base == c.now else copies.add(c.path, c.base, mode, "without whoknows")
        now, base_sha = files.sha256(c.now), files.sha256(c.base)
        entries.append(Entry(str(c.path), files.sha256(c.then), base_sha, base, now, was, mode or c.mode))
    copies.close()
    folders = tuple(dict.fromkeys([*(before.folders if before else ()), *_to_make(c.path for c in real)]))
    record = Record(program, url, __version__, datetime.now(UTC), tuple(entries), folders, written=False)
    records.keep(record)
    try:
        for c in real:
            _write(c)
        records.keep(replace(record, written=True, entries=tuple(e for e in entries if e.after is not None)))
    except (OSError, ConnectFault) as fault:
        _back(record, records)
        _restored(before, program, records)
        detail = fault.detail if isinstance(fault, ConnectFault) else str(fault)
        raise ConnectFault("not_written", f"nothing was changed: {detail}") from fault
    records.tidy(program)
    return copies.folder if any(c.now is not None for c in real) else None


def disconnect(program: Program, changes: Sequence[Change], records: Records) -> Path | None:
    """Carry out a plan of `to_disconnect`. If it breaks off, the next run finishes it: every file is judged by itself."""
    record = records.read(program)
    real = [c for c in changes if c.does != "unchanged"]
    _still_so(real)
    folder = None
    # What is ours from the first byte to the last comes with every release.
    if precious := [c for c in real if not (c.whole and _as_left(record, c))]:
        copies = records.new_copies(program)
        for c in precious:
            copies.add(c.path, c.now, _mode(c.path), "before it was disconnected")
        copies.close()
        folder = copies.folder
    for c in real:
        _write(c)
    # Files that programs share may stand in folders that the record of another one knows.
    shared = {c.path.parent for c in real if c.path.is_relative_to(records.data)}
    for place in shared:
        shutil.rmtree(place / "__pycache__", ignore_errors=True)  # what Python makes of the hook command when it runs
    files.drop_folders([*map(Path, record.folders if record else ()), *shared])
    records.forget(program)
    records.tidy(program)
    return folder


def undo_half(program: Program, records: Records) -> bool:
    """Whether an earlier `connect` had broken off. Its files are then as before it, but those that others changed since."""
    record = records.read(program)
    if record is None:
        return False
    files.drop_unfinished(Path(e.path).resolve().parent for e in record.entries)
    if record.written:
        return False
    _back(record, records)
    if all(e.was == e.base for e in record.entries):  # it was the first one
        records.forget(program)
    else:
        before = tuple(replace(e, after=e.was) for e in record.entries if e.was is not None)
        records.keep(replace(record, entries=before, written=True))
    return True


def _back(record: Record, records: Records) -> None:
    for e in record.entries:
        now = files.read(Path(e.path))
        if files.sha256(now) != e.after or e.after == e.was:
            continue
        was = records.copy(record.program, e.was_copy, e.was) if e.was and e.was_copy else None
        _write(Change(Path(e.path), now, was, None, e.mode or 0o644))
    files.drop_folders([Path(f) for f in record.folders])


def _restored(before: Record | None, program: Program, records: Records) -> None:
    if before is None:
        records.forget(program)
    else:
        records.keep(before)


def _as_left(record: Record | None, c: Change) -> bool:
    entry = record.entry(c.path) if record else None
    return entry is not None and entry.after == files.sha256(c.now)


def _still_so(changes: Sequence[Change]) -> None:
    for c in changes:
        files.writable(c.path)
        if files.read(c.path) != c.now:
            raise ConnectFault("changed_meanwhile", f"{c.path} was changed just now: run this again")


def _write(c: Change) -> None:
    if c.then is None:
        c.path.resolve().unlink(missing_ok=True)
        return
    files.make_folders(c.path.parent)
    files.replace(c.path, c.then, c.mode)


def _to_make(paths: Iterable[Path]) -> list[str]:
    return [str(folder) for p in paths for folder in (*reversed(p.parent.parents), p.parent) if not folder.exists()]


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode & 0o7777
    except OSError:
        return None
