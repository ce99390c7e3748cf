"""Plans: which files `connect` and `disconnect` will change, from what to what, before anything is written."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whoknows.connect import files
from whoknows.connect.pieces import Piece, WholeFile
from whoknows.connect.record import Entry, Record, Records
from whoknows.gate.redact import redact

_LONGEST_DIFF = 400
"""Lines that are shown of one file."""


@dataclass(frozen=True, slots=True)
class Change:
    """``now`` and ``then`` are contents, None for no file; ``base`` is what it holds without us. ``note`` is for people."""

    path: Path
    now: bytes | None
    then: bytes | None
    base: bytes | None
    mode: int
    whole: bool = False
    note: str = ""

    @property
    def does(self) -> str:
        if self.now == self.then:
            return "unchanged"
        if self.now is None:
            return "create"
        return "remove" if self.then is None else "edit"

    def as_json(self) -> dict[str, Any]:
        said = {"path": str(self.path), "does": self.does, "whole": self.whole, "diff": self.diff()}
        return said | ({"note": self.note} if self.note else {})

    def diff(self) -> str:
        """Unified, without secrets that stand beside what changes; nothing for a file that is ours alone, or that goes."""
        if self.does in ("unchanged", "remove") or self.whole:
            return ""
        name = str(self.path)
        lines = list(difflib.unified_diff(_lines(self.now), _lines(self.then), name, name, n=2, lineterm=""))
        return redact("\n".join(lines[:_LONGEST_DIFF])).text


def to_connect(pieces: Iterable[Piece], record: Record | None, records: Records) -> list[Change]:
    """Everything as ``pieces`` say; what an earlier release left elsewhere goes."""
    pieces = list(pieces)
    changes: list[Change] = []
    for piece in pieces:
        now = files.read(piece.path)
        then = piece.added(now)
        entry = record.entry(piece.path) if record else None
        changes.append(Change(piece.path, now, then, _base(piece, now, entry, record, records), piece.mode, _whole(piece)))
    named = {str(p.path) for p in pieces}
    gone = [e for e in record.entries if e.path not in named] if record else []
    for entry in gone:
        now = files.read(Path(entry.path))
        if record and now is not None:
            base = _copied(entry, record, records)
            changes.append(
                Change(Path(entry.path), now, base, base, entry.mode or 0o644, whole=True, note="of an earlier release")
            )
    return changes


def to_disconnect(pieces: Iterable[Piece], record: Record | None, records: Records, kept: set[str]) -> list[Change]:
    """A file that is as we left it becomes what it was; of any other, only what is ours goes. ``kept``: others need them."""
    by_path = {str(p.path): p for p in pieces}
    changes: list[Change] = []
    known = [e.path for e in record.entries] if record else []
    for path in dict.fromkeys([*known, *by_path]):
        piece, entry = by_path.get(path), record.entry(Path(path)) if record else None
        now = files.read(Path(path))
        if now is None or path in kept:
            continue
        if record and entry and entry.after == files.sha256(now):
            base = _copied(entry, record, records)
            changes.append(Change(Path(path), now, base, base, entry.mode or 0o644, _whole(piece)))
            continue
        base = _copied(entry, record, records) if record and entry else None
        if piece is None:
            then, note = base, "of an earlier release, and changed since"
        elif isinstance(piece, WholeFile):
            then, note = base, "changed since it was connected"
        else:
            then = piece.removed(now, base) if piece.present(now) else now
            note = "changed since it was connected: only what is ours goes"
        if entry or (piece and piece.written_by_us(now)):
            changes.append(Change(Path(path), now, then, then, 0o644, _whole(piece), note))
    return changes


def _base(piece: Piece, now: bytes | None, entry: Entry | None, record: Record | None, records: Records) -> bytes | None:
    """What the file holds without us."""
    base = _copied(entry, record, records) if record and entry else None
    if isinstance(piece, WholeFile):
        return base if entry or piece.present(now) else now
    if now is None or (entry and entry.after == files.sha256(now)):
        return base if now is not None else None
    if entry is None and not piece.written_by_us(now):
        return now
    # Changed since, or connected once and the record was lost.
    return piece.removed(now, base) if piece.present(now) else now


def _copied(entry: Entry, record: Record, records: Records) -> bytes | None:
    if entry.base is None or entry.base_copy is None:
        return None
    return records.copy(record.program, entry.base_copy, entry.base)


def _whole(piece: Piece | None) -> bool:
    return piece is None or isinstance(piece, WholeFile)


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()
