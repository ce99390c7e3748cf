"""What Codex noted in its database and not yet in its files is read as well, without a change to either."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from whoknows.migration.archive import read_archive, write_backup
from whoknows.migration.codex_database import noted_in
from whoknows.migration.homes import Native, roots_of
from whoknows.migration.places import Places
from whoknows.migration.plan import plan_of
from whoknows.migration.reading import Reader, without_pointers
from whoknows.migration.restoring import restoration_of, restore
from whoknows.migration.snapshot import snapshot_of
from whoknows.migration.statements import Parsed

SCHEMA = """
CREATE TABLE stage1_outputs (
    thread_id TEXT PRIMARY KEY, source_updated_at INTEGER NOT NULL, raw_memory TEXT NOT NULL, rollout_summary TEXT NOT NULL,
    rollout_slug TEXT, generated_at INTEGER NOT NULL, usage_count INTEGER, last_usage INTEGER,
    selected_for_phase2 INTEGER NOT NULL DEFAULT 0, selected_for_phase2_source_updated_at INTEGER)
"""
"""As Codex 0.171 makes it."""
RAW = "---\ndescription: the port of staging\ncwd: /srv/shop\nkeywords: port\n---\n### Task 1\nReusable knowledge:\n- {}\n"
NEW, OLD = RAW.format("The staging port is 5433."), RAW.format("The lamp is green.")


@contextmanager
def home_of(folder: Path, rows: list[tuple[str, str, str]], name: str = "memories_1.sqlite") -> Iterator[Path]:
    """A home in which Codex is at work: what it has just written stands in the log of its database."""
    codex = folder / ".codex"
    (codex / "memories").mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(codex / name, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute(SCHEMA)
        for n, (thread, raw, summary) in enumerate(rows):
            values = (thread, n, raw, summary, 1_790_000_000 + n)
            connection.execute(
                "INSERT INTO stage1_outputs (thread_id, source_updated_at, raw_memory, rollout_summary, generated_at) "
                "VALUES (?, ?, ?, ?, ?)", values,
            )  # fmt: skip
        yield folder


def read(home: Path) -> dict[str, Parsed]:
    snapshot = snapshot_of(roots_of(Native.CODEX, home, []))
    return {p.path: p for p in without_pointers(Reader(Native.CODEX, snapshot).parsed())}


def test_what_stands_in_no_file_is_read_with_its_project_its_day_and_every_line(tmp_path: Path) -> None:
    with home_of(tmp_path, [("t-1", NEW, "The port was looked up."), ("t-2", "", "")]) as home:
        found = read(home)
    path = ".codex/memories_1.sqlite/t-1.md"
    assert not any("t-2" in p for p in found), "a session in which nothing was worth noting"
    (statement,) = found[path].statements
    assert statement.text == "The staging port is 5433."
    assert statement.place.directories == ("/srv/shop",)
    assert (statement.noted or "")[:4] == "2026"
    assert not [n for p in found.values() for n in p.unaccounted()]
    (summary,) = found[".codex/memories_1.sqlite/t-1.summary.md"].statements
    assert summary.place == statement.place
    items = plan_of(Native.CODEX, list(found.values()), Places(Native.CODEX, (), {"/srv/shop": "shop"}), None).items
    assert {i.project for i in items} == {"shop"}
    assert any(i.body["source"].startswith(f"file:{path}#L") for i in items)


def test_what_stands_in_a_file_already_says_nothing_by_itself(tmp_path: Path) -> None:
    with home_of(tmp_path, [("t-1", OLD, "A lamp."), ("t-2", NEW, "")]) as home:
        (home / ".codex/memories/raw_memories.md").write_text(f"# Raw Memories\n\n## Thread `t-1`\n\n{OLD}")
        found = read(home)
    known = found[".codex/memories_1.sqlite/t-1.md"]
    assert not known.statements
    assert set(known.structure.values()) == {"it stands in a file of the program"}
    assert found[".codex/memories_1.sqlite/t-2.md"].statements


def test_the_second_generation_of_files_and_its_database_are_read_too(tmp_path: Path) -> None:
    with home_of(tmp_path, [("t-1", NEW, "")], "memories_v2_1.sqlite") as home:
        (home / ".codex/memories_v2").mkdir()
        (home / ".codex/memories_v2/memory_summary.md").write_text("v1\n\n## General Tips\n- The kettle is loud.\n")
        found = read(home)
    assert [s.text for s in found[".codex/memories_v2/memory_summary.md"].statements] == ["The kettle is loud."]
    assert found[".codex/memories_v2_1.sqlite/t-1.md"].statements


@pytest.mark.parametrize(
    "content", [b"", b"SQLite format 3\0" + b"x" * 4080, b"no database" * 500], ids=["empty", "broken", "other"]
)
def test_what_is_no_database_is_told_or_is_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/memories_1.sqlite").write_bytes(content)
    (found,) = read(tmp_path).values()
    assert (found.unreadable is None) == (content == b"")
    assert not found.statements


def test_rows_of_any_kind_are_no_fault() -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE stage1_outputs (thread_id, raw_memory, rollout_summary, generated_at)")
        rows = [
            (None, b"\xff", 7, "then"),
            ("../../x", "一句话\n", "", 1 << 60),
            ("\ud83d".encode("utf-8", "surrogatepass"), "", "", 0),
        ]
        connection.executemany("INSERT INTO stage1_outputs VALUES (?, ?, ?, ?)", rows)
        connection.commit()
        noted = noted_in(connection.serialize(), b"")
    assert not isinstance(noted, str)
    assert {(n.raw, n.at) for n in noted} >= {("一句话\n", ""), ("", "")}


VIEW = """
CREATE VIEW stage1_outputs AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
SELECT '' AS thread_id, '' AS raw_memory, '' AS rollout_summary, x AS generated_at FROM n
"""
COMPUTED = """
CREATE TABLE stage1_outputs (thread_id, rollout_summary, generated_at, raw_memory AS (hex(zeroblob(60000000))) VIRTUAL)
"""


@pytest.mark.parametrize("made", [VIEW, COMPUTED], ids=["a view without an end", "a text longer than its file"])
def test_a_database_cannot_make_more_of_itself_than_it_holds(made: str) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(made)
        if made == COMPUTED:
            connection.execute("INSERT INTO stage1_outputs VALUES ('t', '', 1)")
        connection.commit()
        noted = noted_in(connection.serialize(), b"")
    assert isinstance(noted, str) or not noted


def test_the_files_of_codex_stay_as_they_are_and_are_in_the_backup(tmp_path: Path) -> None:
    with home_of(tmp_path / "home", [("t-1", NEW, "")]) as home:
        codex = home / ".codex"
        before = {p.name: p.read_bytes() for p in codex.glob("*.sqlite*")}
        snapshot = snapshot_of(roots_of(Native.CODEX, home, []))
        Reader(Native.CODEX, snapshot).parsed()
        assert {p.name: p.read_bytes() for p in codex.glob("*.sqlite*")} == before
        backup = write_backup(snapshot, Native.CODEX, tmp_path / "backups")
    archive, _ = read_archive(backup.path, Native.CODEX)
    names = {e.path for e in archive.entries}
    assert {"memories_1.sqlite", "memories_1.sqlite-wal"} <= names
    now = (codex / "memories_1.sqlite").read_bytes()
    plan = restoration_of(archive, home, [], known=True)
    assert (plan.written, len(plan.databases)) == ([], 2), "it goes on being written, and its log would not fit"
    restore(plan)
    assert (codex / "memories_1.sqlite").read_bytes() == now
    for path in codex.glob("memories_1.sqlite*"):
        path.unlink()
    restore(restoration_of(archive, home, [], known=True))
    assert {p: (codex / p).read_bytes() for p in ("memories_1.sqlite", "memories_1.sqlite-wal")} == {
        p: before[p] for p in ("memories_1.sqlite", "memories_1.sqlite-wal")
    }
    assert read(home)[".codex/memories_1.sqlite/t-1.md"].statements
