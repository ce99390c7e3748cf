"""Importing a folder of Markdown."""

from pathlib import Path

import pytest

from .conftest import Cli


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """Three good files, three broken ones, and a link out of the folder."""
    folder = tmp_path / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "手册.md").write_text("---\ntitle: 发布手册\ntags: [ops, 发布]\n---\n从 main 分支发布。\n")
    parts = "\n".join(f"## Part {n}\n\n{f'What there is to know about part {n}. ' * 12}\n" for n in range(8))
    (folder / "deep" / "long.md").write_text(f"# Long\n\nAn introduction.\n\n{parts}")
    (folder / "short.md").write_text("# Short\n\nJust this.\n")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "nul.md").write_bytes(b"a \0 b")
    outside = tmp_path / "outside.md"
    outside.write_text("not of this folder")
    (folder / "link.md").symlink_to(outside)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "x.md").write_text("hidden")
    return folder


def test_importing_twice_stores_nothing_new_and_broken_files_stop_nobody(cli: Cli, notes: Path) -> None:
    first = cli.json("main", "import", str(notes), "--team", "backend", "--project", "imported", "--tag", "docs", code=1)
    assert (first["files"], first["stored"], first["known"]) == (3, 11, 0)
    assert sorted(f["path"] for f in first["failed"]) == ["latin.md", "link.md", "nul.md"]
    again = cli.json("main", "import", str(notes), "--team", "backend", "--project", "imported", "--tag", "docs", code=1)
    assert (again["stored"], again["known"]) == (0, 11)
    items = cli.json("scout", "list", "--project", "imported")["items"]
    assert len(items) == 11
    book = next(m for m in items if m["title"] == "发布手册")
    assert book["evidence"][0]["locator"] == "手册.md"
    assert book["tags"] == ["ops", "发布", "docs"]
    assert {m["title"] for m in items if m["title"].startswith("Long")} >= {"Long", "Long › Part 0", "Long › Part 7"}
    assert cli.json("outsider", "list", "--project", "imported")["items"] == []


def test_a_dry_run_needs_no_key_and_stores_nothing(cli: Cli, notes: Path) -> None:
    plan = cli(None, "import", str(notes), "--project", "planned", "--dry-run")
    assert "file:deep/long.md" in plan.stdout
    assert cli.json("main", "list", "--project", "planned")["items"] == []
