"""The database of Codex's first phase: what it noted of sessions, some of which may not have reached its files yet.

It is kept in write-ahead mode: what is new stands in the log beside it, often all of it, and read as immutable it would be
empty. So both files are copied, and the copy is opened.
"""

import sqlite3
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

LOG = "-wal"


@dataclass(frozen=True, slots=True)
class Noted:
    """What was noted of one session. ``at`` is ISO, empty where the database has no time that can be one."""

    thread: str
    raw: str
    summary: str
    at: str


def noted_in(database: bytes, log: bytes) -> list[Noted] | str:
    """By session, the oldest first; or why it cannot be read. ``log`` is empty where there is none."""
    with TemporaryDirectory(prefix="whoknows-") as folder:
        copy = Path(folder) / "copy.sqlite"
        copy.write_bytes(database)
        if log:
            copy.with_name(copy.name + LOG).write_bytes(log)
        try:
            with closing(sqlite3.connect(copy)) as connection:
                connection.execute("PRAGMA trusted_schema = OFF")
                connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
                if not connection.execute(_THERE).fetchall():
                    return []
                rows = connection.execute(_ROWS).fetchall()
        except sqlite3.Error as e:
            return f"a database that cannot be read ({e})"
    return [Noted(_text(thread), _text(raw), _text(summary), _time(at)) for thread, raw, summary, at in rows]


_LONGEST = 64 * 1024 * 1024
"""Bytes of a text: a column can be computed, and then be longer than the whole file."""
_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'stage1_outputs' AND type = 'table'"
"""A view of that name could go on without end."""
_ROWS = "SELECT thread_id, raw_memory, rollout_summary, generated_at FROM stage1_outputs ORDER BY generated_at, thread_id"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _time(value: object) -> str:
    try:
        return datetime.fromtimestamp(value, UTC).isoformat() if isinstance(value, int) else ""
    except (OverflowError, ValueError, OSError):
        return ""
