"""What is read of a home: memory folders alone, each file once, nothing through a link, and what is left unread is said."""

import os
from pathlib import Path

import pytest

from whoknows.migration.homes import Native, may_hold, roots_of
from whoknows.migration.reading import Reader, without_pointers
from whoknows.migration.snapshot import Kind, Snapshot, entry_at, snapshot_of
from whoknows.migration.statements import GENERAL, Parsed, Place


def taken(home: Path, *projects: Path) -> Snapshot:
    return snapshot_of(roots_of(Native.CLAUDE_CODE, home, projects))


def parsed(snapshot: Snapshot) -> dict[str, Parsed]:
    return {p.path: p for p in without_pointers(Reader(Native.CLAUDE_CODE, snapshot).parsed())}


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "home/.claude/projects/-srv-shop/memory"
    folder.mkdir(parents=True)
    return folder


def test_only_memory_folders_are_read(memory: Path, tmp_path: Path) -> None:
    claude = tmp_path / "home/.claude"
    for path in ("CLAUDE.md", "projects/-srv-shop/notes.md", "projects/-srv-shop/s.jsonl", "agent-memories.md", "skills.md"):
        (claude / path).write_text("not a memory\n")
    (memory / "a.md").write_text("a memory\n")
    assert [e.path for e in taken(tmp_path / "home").files()] == ["projects/-srv-shop/memory/a.md"]


def test_a_file_that_is_another_at_the_second_look_is_not_taken() -> None:
    entry = entry_at(0, Path("/proc/self"), "stat")  # its size is said to be 0, and it is not
    assert (entry.kind, entry.content) == (Kind.OTHER, b"")
    assert entry.why == "it changes while it is read"


def test_a_memory_folder_behind_a_link_is_said_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere/memory"
    outside.mkdir(parents=True)
    (outside / "a.md").write_text("of somebody else\n")
    projects = tmp_path / "home/.claude/projects"
    (projects / "-srv-b").mkdir(parents=True)
    (projects / "-srv-a").symlink_to(outside.parent)
    (projects / "-srv-b/memory").symlink_to(outside)
    found = parsed(taken(tmp_path / "home"))
    assert sorted(found) == [".claude/projects/-srv-a/memory", ".claude/projects/-srv-b/memory"]
    assert all(p.unreadable is not None and "link" in p.unreadable for p in found.values())


def test_a_folder_to_which_the_settings_move_memories_is_not_overlooked(memory: Path, tmp_path: Path) -> None:
    (tmp_path / "home/.claude/settings.json").write_text('{"autoMemoryDirectory": "~/notes"}')
    found = parsed(taken(tmp_path / "home"))["~/notes"]
    assert found.unreadable is not None
    assert "autoMemoryDirectory" in found.unreadable


def test_memories_of_sub_agents_are_of_the_project_in_which_they_are_kept(memory: Path, tmp_path: Path) -> None:
    projects = [tmp_path / "one/shop", tmp_path / "two/shop"]
    for project in projects:
        kept = project / ".claude/agent-memory/reviewer"
        kept.mkdir(parents=True)
        (kept / "names.md").write_text(f"Names in {project.parent.name} are long.\n")
    own = tmp_path / "home/.claude/agent-memory/reviewer"
    own.mkdir(parents=True)
    (own / "habits.md").write_text("Tests first.\n")
    found = {p.path: p.statements[0] for p in parsed(taken(tmp_path / "home", *projects)).values() if p.statements}
    assert {path: s.place for path, s in found.items()} == {
        ".claude/agent-memory/reviewer/habits.md": GENERAL,
        "shop/.claude/agent-memory/reviewer/names.md": Place(str(projects[0]), (str(projects[0]),)),
        "shop~2/.claude/agent-memory/reviewer/names.md": Place(str(projects[1]), (str(projects[1]),)),
    }
    assert {s.tags for s in found.values()} == {("reviewer",)}


def test_a_name_that_is_no_utf8_is_said_and_its_file_is_backed_up(memory: Path, tmp_path: Path) -> None:
    with open(os.path.join(os.fsencode(memory), b"\xff.md"), "wb") as file:
        file.write(b"one\ntwo\n")
    snapshot = taken(tmp_path / "home")
    (found,) = parsed(snapshot).values()
    assert (found.total, found.unreadable) == (2, "the name of the file is not valid UTF-8")
    assert found.path.endswith("/\\xff.md")
    assert [e.content for e in snapshot.files()] == [b"one\ntwo\n"]


def test_a_deep_tree_is_walked_to_its_end(memory: Path, tmp_path: Path) -> None:
    deep = memory.joinpath(*["d"] * 600)
    deep.mkdir(parents=True)
    (deep / "a.md").write_text("far down\n")
    assert [s.text for p in parsed(taken(tmp_path / "home")).values() for s in p.statements] == ["far down"]


def test_nothing_but_memory_folders_may_be_written_to() -> None:
    for path in ("projects/-a/memory", "projects/-a/memory/x.md", "agent-memory/r/x.md"):
        assert may_hold(Native.CLAUDE_CODE, path)
    for path in (
        "settings.json",
        "projects/-a/s.jsonl",
        "projects/-a/memoryx",
        "agent-memory-x",
        "projects/a/b/memory",
        "memories",
    ):
        assert not may_hold(Native.CLAUDE_CODE, path)
    assert may_hold(Native.CODEX, "memories/MEMORY.md")
    assert not may_hold(Native.CODEX, "config.toml")
