"""Folders as sources: what is in them is read as it is now, and nothing else."""

import os
from pathlib import Path

import pytest

from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "root" / "notes"
    (made / "deep").mkdir(parents=True)
    (made / "a.md").write_text("# A\n")
    (made / "deep" / "b.TXT").write_text("b\r\n")
    (made / "code.py").write_text("x = 1")
    (made / ".git").mkdir()
    (made / ".git" / "h.md").write_text("hidden")
    return made


def at(folder: Path) -> SourceLocation:
    return SourceLocation(LocationKind.FOLDER, str(folder))


def reader(folder: Path) -> TreeReader:
    return TreeReader(Roots([folder.parent]))


async def test_its_documents_and_its_state_are_told_and_a_change_changes_the_state(folder: Path) -> None:
    tree, where = reader(folder), at(folder)
    state = await tree.revision(where, None)
    assert state is not None
    files = await tree.files(where, state)
    assert [(f.path, f.fault) for f in files] == [("a.md", None), ("deep/b.TXT", None)]
    assert await tree.texts(where, state, files) == {"a.md": "# A\n", "deep/b.TXT": "b\n"}
    assert await tree.read(where, state, "a.md") == "# A\n"
    assert await tree.read(where, files[0].blob, "a.md") == "# A\n"
    (folder / "a.md").write_text("# Other\n")
    assert await tree.revision(where, None) != state
    assert await tree.read(where, state, "a.md") is None
    assert await tree.read(where, files[0].blob, "a.md") is None
    assert (await tree.texts(where, state, files))["a.md"] is None
    assert await tree.read(where, files[1].blob, "deep/b.TXT") == "b\n"


async def test_links_that_lead_out_pipes_and_names_that_are_none_are_no_documents(folder: Path) -> None:
    outside = folder.parent.parent / "secret.md"
    outside.write_text("secret")
    (folder / "out.md").symlink_to(outside)
    (folder / "up").symlink_to(folder.parent.parent)
    (folder / "within.md").symlink_to(folder / "a.md")
    (folder / "circle.md").symlink_to(folder / "circle.md")
    os.mkfifo(folder / "pipe.md")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md")).write_text("x")  # noqa: ASYNC240 - a file of a test
    (folder / "a#b.md").write_text("x")
    (folder / "nul.md").write_bytes(b"a\0")
    tree, where = reader(folder), at(folder)
    state = await tree.revision(where, None)
    assert state is not None
    files = await tree.files(where, state)
    assert {f.path for f in files if f.fault is None} == {"a.md", "deep/b.TXT", "within.md"}
    assert {f.path for f in files if f.fault} == {"out.md", "circle.md", "pipe.md", "\\xff.md", "a#b.md", "nul.md"}
    for path in ("out.md", "up/secret.md", "../../secret.md", str(outside), "pipe.md", "nul.md", "", "deep"):
        assert await tree.read(where, state, path) is None, path


async def test_what_is_hidden_in_it_is_no_source_of_quotes(folder: Path) -> None:
    (folder / ".git" / "config").write_text("url = https://example.org/repository\n")
    (folder / ".env").write_text("PLACE=somewhere\n")
    (folder / "shown.md").symlink_to(folder / ".env")
    tree, where = reader(folder), at(folder)
    state = await tree.revision(where, None)
    assert state is not None
    for path in (".git/config", ".git/h.md", ".env", "shown.md", "deep/../.env"):
        assert await tree.read(where, state, path) is None, path
    assert await tree.read(where, state, "code.py") == "x = 1"


async def test_a_folder_outside_of_the_roots_is_absent(folder: Path, tmp_path: Path) -> None:
    tree = TreeReader(Roots([tmp_path / "root"]))
    (tmp_path / "other").mkdir()
    (tmp_path / "root" / "link").symlink_to(tmp_path / "other")
    for place in (tmp_path / "other", tmp_path / "root" / "link", tmp_path / "root" / "absent", folder / "a.md", Path("/")):
        assert await tree.locate(at(place)) is None, place
        assert await tree.revision(at(place), None) is None, place
        assert await tree.files(at(place), "0" * 64) == [], place
    assert await tree.locate(at(tmp_path / "root" / "notes" / "..")) == at(tmp_path / "root")
    assert await TreeReader(Roots([])).locate(at(folder)) is None
