"""A folder of Markdown files, good and bad."""

import os
from pathlib import Path

from whoknows.sources.folder import File, Unreadable, markdown_files


def test_files_come_in_order_with_their_relative_paths(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "二.md").write_text("2")
    (tmp_path / "a.MD").write_bytes(b"\xef\xbb\xbf1")
    (tmp_path / "c.txt").write_text("no Markdown")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.md").write_text("hidden")
    assert list(markdown_files(tmp_path)) == [File("a.MD", "1"), File("b/二.md", "2")]


def test_links_that_lead_out_are_not_followed_and_those_within_are(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir()
    outside.mkdir()
    (outside / "secret.md").write_text("secret")
    (inside / "real.md").write_text("real")
    (inside / "file.md").symlink_to(outside / "secret.md")
    (inside / "folder").symlink_to(outside)
    (inside / "within.md").symlink_to(inside / "real.md")
    (inside / "broken.md").symlink_to(inside / "absent.md")
    found = {f.path: f for f in markdown_files(inside)}
    assert isinstance(found["file.md"], Unreadable)
    assert isinstance(found["broken.md"], Unreadable)
    assert found["within.md"] == File("within.md", "real")
    assert set(found) == {"file.md", "broken.md", "within.md", "real.md"}


def test_what_cannot_be_read_is_told_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    (tmp_path / "nul.md").write_bytes(b"\0")
    (tmp_path / "fine.md").write_text("fine")
    (tmp_path / "folder.md").mkdir()
    os.mkfifo(tmp_path / "pipe.md")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_text("a name that is no UTF-8")
    found = list(markdown_files(tmp_path))
    assert [f.path for f in found if isinstance(f, File)] == ["fine.md"]
    why = {f.path: f.why for f in found if isinstance(f, Unreadable)}
    assert "byte 3" in why["latin.md"]
    assert "NUL" in why["nul.md"]
    assert set(why) == {"latin.md", "nul.md", "pipe.md", "\\xff.md"}
