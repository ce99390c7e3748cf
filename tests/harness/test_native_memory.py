"""The memory that a program keeps by itself goes on until all of it is safe here, and comes back with the way back."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from harness.desk import Desk, snapshot
from harness.programs import QUIET
from whoknows.domain.harness import Program

NOTE = "The staging cluster of boss is rebuilt every Monday at six."
ASKED = "When is the staging cluster of boss rebuilt?"
BOTH = pytest.mark.parametrize("program", [Program.CLAUDE_CODE, Program.CODEX], ids=str)
CODEX_NOTES = f"""\
# Task Group: boss

scope: work on boss
applies_to: cwd={{folder}}; reuse_rule=always

## Task 1: the staging cluster

### keywords
- staging

## Reusable knowledge
- {NOTE}
"""


@BOTH
def test_it_stays_on_until_it_was_migrated_and_is_on_again_after_the_way_back(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    _notes(desk, program, folder)
    desk.asks(program, ASKED, folder)
    assert NOTE in desk.turn.read
    desk.connect(program, folder, "boss")

    _stage(desk, program, folder, "governed")
    desk.asks(program, ASKED, folder)
    assert NOTE in desk.turn.read.replace(desk.beside(), "")

    _stage(desk, program, folder, "read-only")
    done = desk.whoknows(program, "migrate", str(program), "--map", f"{folder}=boss", "--yes", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    assert any(NOTE in m["content"] for m in desk.memories())
    _stage(desk, program, folder, "governed")
    desk.asks(program, ASKED, folder)
    assert NOTE in desk.beside()
    assert NOTE not in desk.turn.read.replace(desk.beside(), "")

    _stage(desk, program, folder, "read-only")
    desk.asks(program, ASKED, folder)
    assert NOTE in desk.turn.read.replace(desk.beside(), "")


@BOTH
def test_its_files_are_never_changed(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    where = _notes(desk, program, folder)
    before = snapshot(where)
    desk.connect(program, folder, "boss")
    desk.whoknows(program, "migrate", str(program), "--map", f"{folder}=boss", "--yes", "--json")
    _stage(desk, program, folder, "governed")
    desk.disconnect(program)
    assert snapshot(where) == before


def test_what_codex_noted_in_its_database_alone_is_migrated_too(desk: Desk) -> None:
    codex = Program.CODEX
    folder = desk.folder("boss")
    (desk.home / ".codex").mkdir(parents=True)
    (desk.home / ".codex" / "config.toml").write_text(QUIET + "memories = true\n")
    desk.asks(codex, "hello", folder)
    raw = f"---\ndescription: staging\ncwd: {folder}\n---\n### Task 1\nReusable knowledge:\n- {NOTE}\n"
    database = desk.home / ".codex" / "memories_1.sqlite"
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:  # as the program made it
        connection.execute(
            "INSERT INTO stage1_outputs (thread_id, source_updated_at, raw_memory, rollout_summary, generated_at) "
            "VALUES ('t-1', 1, ?, '', 1790000000)",
            [raw],
        )
        done = desk.whoknows(codex, "migrate", str(codex), "--map", f"{folder}=boss", "--yes", "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    (memory,) = [m for m in desk.memories() if NOTE in m["content"]]
    assert memory["project_id"] == "boss"


def _stage(desk: Desk, program: Program, folder: Path, stage: str) -> None:
    done = desk.whoknows(program, "stage", stage, "--yes", "--json", cwd=folder)
    assert done.returncode == 0, done.stderr


def _notes(desk: Desk, program: Program, folder: Path) -> Path:
    """What the program noted in earlier sessions, where it keeps it."""
    if program is Program.CLAUDE_CODE:
        desk.asks(program, "hello", folder)
        (where,) = (desk.home / ".claude" / "projects").glob("*/memory")
        (where / "MEMORY.md").write_text(f"- [Staging](staging.md) — {NOTE}\n")
        front = "---\nname: staging\ndescription: when staging is rebuilt\nmetadata:\n  type: project\n---\n"
        (where / "staging.md").write_text(f"{front}{NOTE}\n")
    else:
        where = desk.home / ".codex" / "memories"
        where.mkdir(parents=True)
        (where.parent / "config.toml").write_text(QUIET + "memories = true\n")
        (where / "memory_summary.md").write_text(f"v1\n\n## General Tips\n- {NOTE}\n")
        (where / "MEMORY.md").write_text(CODEX_NOTES.format(folder=folder))
    return where
