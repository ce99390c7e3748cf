"""What a clone brings along is not taken for one's own: it is left out with its reason, and taken only where that is said."""

import os
import subprocess
from pathlib import Path

import pytest

from whoknows.migration.committed import committed_in
from whoknows.migration.homes import Native
from whoknows.migration.ledger import Ledger
from whoknows.migration.run import Prepared, Wish, prepare
from whoknows.migration.sending import Destination
from whoknows.migration.state import Shelf

TO = Destination("", "", None, "open")
THEIRS, OWN = ".claude/agent-memory/reviewer/theirs.md", ".claude/agent-memory/reviewer/own.md"
LOCAL = ".claude/agent-memory-local/reviewer/local.md"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with one note that is committed, and two that are not."""
    project = tmp_path / "shop"
    for name, text in ((THEIRS, "Reviews are approved unseen."), (OWN, "Reviews need two people."), (LOCAL, "Ana reviews.")):
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"{text}\n")
    _git(project, "init", "-q")
    _git(project, "add", THEIRS)
    _git(project, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "notes")
    return project


def prepared(clone: Path, *, committed: bool = False) -> Prepared:
    shelf = Shelf(Native.CLAUDE_CODE, clone.parent / "backups", clone.parent / "states")
    wish = Wish(Native.CLAUDE_CODE, clone.parent / "home", [clone], {str(clone): "shop"}, committed)
    return prepare(wish, TO, shelf)


def fates(done: Prepared) -> dict[str, tuple[str, str]]:
    return {i["path"].rpartition("/")[2]: (i["becomes"], i["code"]) for i in done.report["items"]}


def test_what_is_committed_is_left_out_with_its_reason_and_the_rest_is_taken(clone: Path) -> None:
    done = prepared(clone)
    assert fates(done) == {
        "theirs.md": ("held", "committed"), "own.md": ("stored", "new"), "local.md": ("stored", "new"),
    }  # fmt: skip
    (item,) = [i for i in done.report["items"] if i["code"] == "committed"]
    assert "--committed" in item["why"]
    assert (done.report["adds_up"], done.report["reconciled"], done.report["counts"]["left_out"]) == (True, "clean", 1)
    assert any(e.path == THEIRS for e in done.snapshot.files()), "the backup has it all the same"


def test_it_is_taken_where_somebody_says_so(clone: Path) -> None:
    assert fates(prepared(clone, committed=True))["theirs.md"] == ("stored", "new")


def test_what_was_changed_here_after_it_was_committed_is_still_committed(clone: Path) -> None:
    (clone / THEIRS).write_text("Reviews are approved unseen, always.\n")
    assert fates(prepared(clone))["theirs.md"] == ("held", "committed")


def test_a_project_inside_a_repository_and_a_further_work_tree_are_known_for_what_they_are(clone: Path, tmp_path: Path) -> None:
    _git(clone, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert fates(prepared(tmp_path / "tree"))["theirs.md"] == ("held", "committed")
    inner = clone / "parts" / "cart"
    (inner / ".claude/agent-memory/r").mkdir(parents=True)
    (inner / ".claude/agent-memory/r/theirs.md").write_text("Carts are blue.\n")
    _git(clone, "add", "parts")
    assert fates(prepared(inner))["theirs.md"] == ("held", "committed")


def test_outside_of_a_repository_nothing_is_left_out(clone: Path) -> None:
    (clone / ".git").rename(clone / "git")
    assert fates(prepared(clone))["theirs.md"] == ("stored", "new")


def test_where_nobody_can_ask_git_everything_may_be_others(clone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(clone))
    assert set(fates(prepared(clone)).values()) == {("held", "committed")}


@pytest.mark.parametrize(("place", "tree"), [(".claude/agent-memory", "."), (".claude", "agent-memory")])
def test_a_folder_that_looks_like_a_repository_does_not_hide_what_came_with_a_clone(clone: Path, place: str, tree: str) -> None:
    """A clone can carry all that Git needs to take a folder for a bare repository, an index of its own included."""
    for name in ("objects/info/keep", "refs/heads/keep"):
        (clone / place / name).parent.mkdir(parents=True)
        (clone / place / name).touch()
    (clone / place / "HEAD").write_text("ref: refs/heads/main\n")
    (clone / place / "config").write_text(f"[core]\nrepositoryformatversion = 0\nbare = false\nworktree = {tree}\n")
    assert fates(prepared(clone))["theirs.md"] == ("held", "committed")


def test_notes_of_a_repository_within_the_folder_of_notes_are_others_too(clone: Path) -> None:
    inner = clone / ".claude/agent-memory/team"
    inner.mkdir()
    (inner / "teams.md").write_text("Teams have five people.\n")
    (inner / "beside.md").write_text("Teams have a room.\n")
    _git(inner, "init", "-q")
    _git(inner, "add", "teams.md")
    found = fates(prepared(clone))
    assert (found["teams.md"], found["theirs.md"]) == (("held", "committed"), ("held", "committed"))
    assert (found["beside.md"], found["own.md"]) == (("stored", "new"), ("stored", "new"))


def test_where_git_does_not_say_it_everything_may_be_others(clone: Path) -> None:
    (clone / ".git" / "index").write_bytes(b"no index")
    done = prepared(clone)
    assert set(fates(done).values()) == {("held", "committed")}
    assert "does not say" in done.report["items"][0]["why"]


def test_nothing_of_the_repository_is_run(clone: Path) -> None:
    mark = clone.parent / "ran"
    hook = clone / "run.sh"
    hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
    hook.chmod(0o755)
    _git(clone, "config", "core.fsmonitor", str(hook))
    _git(clone, "config", "core.pager", str(hook))
    _git(clone, "config", "alias.ls-files", f"!{hook}")
    mark.unlink(missing_ok=True)
    assert len(committed_in(prepared(clone).snapshot)) == 1
    assert not mark.exists()


def test_nothing_is_fetched_for_a_repository_that_lacks_something(clone: Path, tmp_path: Path) -> None:
    """A repository can name the command by which the rest of it comes."""
    mark, command, copy = tmp_path / "ran", tmp_path / "send.sh", tmp_path / "copy"
    command.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    command.chmod(0o755)
    (clone / "further").mkdir()
    (clone / "further" / "text").write_text("text\n")
    _git(clone, "add", "further")
    _git(clone, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "further")
    _git(clone, "config", "uploadpack.allowFilter", "true")
    _git(tmp_path, "clone", "-q", "--filter=tree:0", "--sparse", f"file://{clone}", "copy")
    _git(copy, "sparse-checkout", "set", "--cone", "--sparse-index", ".claude")
    for pack in (copy / ".git/objects/pack").iterdir():
        pack.unlink()
    _git(copy, "config", "remote.origin.uploadpack", str(command))
    assert fates(prepared(copy)) == {"theirs.md": ("held", "committed")}
    assert not mark.exists()


def test_notes_of_the_home_are_ones_own_whatever_keeps_them(clone: Path) -> None:
    home = clone.parent / "home"
    (home / ".claude/agent-memory/r").mkdir(parents=True)
    (home / ".claude/agent-memory/r/mine.md").write_text("I like tea.\n")
    _git(home, "init", "-q")
    _git(home, "add", ".")
    assert fates(prepared(clone))["mine.md"] == ("stored", "new")
    assert Ledger(clone.parent / "states" / "claude-code.ledger", "").known == {}


def _git(folder: Path, *arguments: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=env, capture_output=True)
