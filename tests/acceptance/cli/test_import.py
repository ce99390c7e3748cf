"""Importing a folder of Markdown."""

from pathlib import Path

import pytest

from repositories import ASKED_OF_TOPICS, MIDDLE, NEW, OLD, TOPICS

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
    assert book["evidence"][0]["locator"] == "notes/手册.md"
    assert book["tags"] == ["ops", "发布", "docs"]
    assert {m["title"] for m in items if m["title"].startswith("Long")} >= {"Long", "Long › Part 0", "Long › Part 7"}
    assert cli.json("outsider", "list", "--project", "imported")["items"] == []


def test_a_dry_run_needs_no_key_and_stores_nothing(cli: Cli, notes: Path) -> None:
    plan = cli(None, "import", str(notes), "--project", "planned", "--dry-run")
    assert "file:notes/deep/long.md" in plan.stdout
    assert cli.json("main", "list", "--project", "planned")["items"] == []


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Three records, of which the newest overturns two."""
    folder = tmp_path / "records"
    folder.mkdir()
    for name, content in (("0004-one.md", OLD), ("0006-two.md", MIDDLE), ("0007-three.md", NEW)):
        (folder / name).write_text(content)
    return folder


def test_an_imported_record_overturns_what_it_says_it_supersedes_and_why_is_told(cli: Cli, records: Path) -> None:
    project = ("--project", "overturning")
    first = cli.json("main", "import", str(records), *project)
    assert (first["stored"], first["known"], first["failed"], first["findings"]) == (9, 0, [], [])
    assert [(o["path"], o["by"]) for o in first["overturned"]] == [
        ("0004-one.md", "0007-three.md"),
        ("0006-two.md", "0007-three.md"),
    ]
    asked = ("recall", "how many lines of memory are there", "--min-score", "0", "--history")
    best = cli.json("main", *asked, *project)["memories"]
    assert best[0]["title"].startswith("ADR 0007: Three lines [proposed]")
    assert "status:proposed" in best[0]["tags"]
    records_found = [m for m in best if "chronicle" not in m["tags"]]
    assert {m["title"].partition(":")[0] for m in records_found} == {"ADR 0007"}
    for m in records_found:
        assert [o["content"].partition("\n")[0] for o in m["overturned"]] == ["- Status: Accepted"] * 2
        assert "coupled what should be apart" in m["overturned"][0]["reason"]
    assert [m["title"].partition(":")[0] for m in best[0]["history"]] == ["ADR 0007", "ADR 0004", "ADR 0006"]
    again = cli.json("main", "import", str(records), *project)
    assert (again["stored"], again["changed"], again["known"], again["archived"]) == (0, 0, 9, 0)


def test_a_changed_file_takes_the_place_of_what_it_said_and_one_that_is_gone_is_told_of(cli: Cli, records: Path) -> None:
    project = ("--project", "changing")
    cli.json("main", "import", str(records), *project)
    text = NEW.replace("three independent lines", "three separate lines").replace("2026-07-01", "2026-07-02")
    costs = "## Costs\n\n" + "Three times the work. " * 120
    (records / "0007-three.md").write_text(text.partition("## Consequences")[0] + costs)
    changed = cli.json("main", "import", str(records), *project)
    assert (changed["stored"], changed["changed"], changed["archived"], changed["failed"]) == (1, 3, 1, [])
    items = cli.json("main", "list", *project)["items"]
    new = {m["title"]: m for m in items if m["title"].startswith("ADR 0007")}
    assert sorted(t.partition("]")[2] for t in new) == ["", " › Context", " › Costs", " › Decision"]
    head = new["ADR 0007: Three lines [proposed]"]
    assert {m["part_of"] for m in new.values()} == {None, head["id"]}
    for m in new.values():
        old = {o["content"].split("\n")[1] for o in m["overturned"] if o["content"].startswith("- Status: Accepted")}
        assert old == {"- Date: 2026-06-22", "- Date: 2026-06-30"}, m["title"]
    assert not [m for m in items if "three independent lines" in m["content"]]
    (records / "0004-one.md").unlink()
    (records / "0006-two.md").unlink()
    (records / "0007-three.md").unlink()
    gone = cli.json("main", "import", str(records), *project)
    assert gone["gone"] == ["0007-three.md"]
    assert gone["archived"] == 1  # the list of the records by date has none any more
    assert len(cli.json("main", "list", *project)["items"]) == len(items) - 1
    pruned = cli.json("main", "import", str(records), *project, "--prune")
    assert pruned["archived"] == 4
    assert cli.json("main", "list", *project)["items"] == []


def test_who_asks_about_what_an_imported_record_said_finds_the_one_that_overturned_it(cli: Cli, tmp_path: Path) -> None:
    for name, content in TOPICS.items():
        (tmp_path / name).write_text(content)
    project = ("--project", "topics")
    cli.json("main", "import", str(tmp_path), "--name", "topics", *project)
    for question, title, old in ASKED_OF_TOPICS:
        best = cli.json("main", "recall", question, "--min-score", "0", *project)["memories"][0]
        assert best["title"] == title, question
        (overturned,) = best["overturned"]
        assert old in overturned["content"]
        assert overturned["reason"] in TOPICS["0009-by-hand.md"] + TOPICS["0011-短信.md"]
