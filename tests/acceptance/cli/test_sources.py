"""Sources from the command line."""

from repositories import decisions

from .conftest import Cli


def test_a_source_is_added_synchronised_listed_and_removed_by_its_name(cli: Cli) -> None:
    repo = decisions(cli.home / "sources" / "records")
    added = cli.json("admin", "sources", "add", "git", str(repo.path), "--name", "records", "--for", "team:backend")
    assert (added["documents"], len(added["added"])) == (4, 4)
    shown = cli("scout", "sources", "list").stdout
    assert "records" in shown
    assert "team:backend" in shown
    assert cli.json("outsider", "sources", "list")["items"] == []
    found = cli("scout", "recall", "three independent lines of memory", "--min-score", "0")
    assert "ADR 0007: Three lines [proposed]" in found.stdout
    repo.commit({"lessons/staging.md": None, "lessons/new.md": "# Lesson\n\nNever deploy on a Friday.\n"})
    synced = cli("admin", "sources", "sync", "records")
    assert "1 added, 1 removed" in synced.stdout
    assert "nothing has changed" in cli("admin", "sources", "sync", "records").stdout
    assert cli("scout", "sources", "sync", "records").returncode == 4
    assert cli("outsider", "sources", "sync", "records").returncode == 3
    removed = cli("admin", "sources", "remove", "records", "--yes")
    assert "records is removed" in removed.stdout
    assert cli.json("scout", "sources", "list")["items"] == []
    assert cli("admin", "sources", "add", "folder", str(cli.home), "--name", "home", "--for", "*").returncode == 7
